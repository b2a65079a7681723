import { exitCodes } from '../../errors.js';
import { printable } from '../../output/printable.js';
import { colors } from '../../output/text.js';
import { checkHmacKeys, hmacKeyProblem } from '../../sign/asymmetric-key.js';
import { openInput } from '../../sign/body.js';
import { checkBody, type BodyCheck } from '../../sign/check-body.js';
import { givenSignature } from '../../sign/given-signature.js';
import type { Io } from '../shared/command.js';
import { briefOutput, print } from '../shared/flags.js';
import {
  detail,
  requireSecrets,
  secretSource,
  warnOfVisibleSecret,
} from '../shared/secret-flags.js';
import { checkOwnSchemes, findOwnSchemes } from '../shared/signing-flags.js';
import type { VerifyFlags } from './command.js';

/** The result for one body; `scheme` where it is told. */
export interface BodyResult {
  readonly valid: boolean;
  readonly scheme?: string | null;
  readonly reason?: string;
  readonly hint?: string;
}

/**
 * Verifies the signature of one body and prints the result.
 *
 * @throws UsageError when there is no signature, secret or readable body
 */
export async function checkOne(
  path: string | undefined,
  flags: VerifyFlags,
  io: Io,
): Promise<void> {
  const signature = givenSignature(flags);
  if (signature === undefined || !(await isXSignatureAlone(flags, io))) {
    const { checkByScheme } = await import('./body-by-scheme.js');
    await conclude(await checkByScheme(path, flags, io), flags, io);
  } else {
    await conclude(await checkXSignature(path, signature, flags, io), flags, io);
  }
}

/** Whether no other scheme is to be tried: the body need not fit in memory then. */
async function isXSignatureAlone(flags: VerifyFlags, io: Io): Promise<boolean> {
  const name = flags.scheme ?? io.env.EVFWD_SCHEME ?? '';
  if (name === 'x-signature') return true;
  if (name !== '' && name !== 'auto') return false;
  if (flags.header === undefined) return true;
  const own = await findOwnSchemes(flags, io);
  return own.every(({ header }) => header.toLowerCase() !== 'x-signature');
}

async function checkXSignature(
  path: string | undefined,
  signature: string,
  flags: VerifyFlags,
  io: Io,
): Promise<BodyResult> {
  await checkUnused(flags);
  await checkOwnSchemes(flags, io);
  const secrets = hmacKeys(flags, io);
  const input = openInput(path, io, printable);
  const options = { signature, secrets, explain: flags.explain === true };
  const result = ofEmptyBody(await checkBody(input.chunks, options), input.name);
  detail(`${input.name}: ${result.bytes} bytes`, flags, io);
  const { valid, reason, hint } = result;
  const isNamed = flags.header !== undefined || flags.scheme !== undefined;
  return {
    valid,
    ...(isNamed && { scheme: 'x-signature' }),
    ...(reason && { reason, hint: hint! }),
  };
}

/** Unless the scheme was named, keys of other schemes are passed over while a secret remains. */
function hmacKeys(flags: VerifyFlags, io: Io): readonly (string | Buffer)[] {
  const secrets = requireSecrets(flags, io);
  const usable = secrets.filter((secret) => hmacKeyProblem(secret) === undefined);
  const isNamed = (flags.scheme ?? io.env.EVFWD_SCHEME) === 'x-signature';
  if (isNamed || usable.length === 0) checkHmacKeys(secrets, secretSource(flags));
  return usable;
}

/** `X-Signature` has neither time nor URL; their flags must be correct all the same. */
async function checkUnused({ at, url, method, tolerance }: VerifyFlags): Promise<void> {
  if ([at, url, method, tolerance].every((flag) => flag === undefined)) return;
  const { parseTolerance, signedRequestValues } = await import('../shared/signed-request-flags.js');
  signedRequestValues({ ...(at && { at }), ...(url && { url }), ...(method && { method }) });
  if (tolerance !== undefined) parseTolerance(tolerance);
}

/** An empty body can have a valid signature; otherwise it explains why there is none. */
function ofEmptyBody(result: BodyCheck, name: string): BodyCheck {
  if (result.valid || result.bytes > 0 || result.reason !== 'mismatch') return result;
  return { ...result, hint: emptyBodyHint(name) };
}

/** Why no signature fits a body without bytes. */
export function emptyBodyHint(name: string): string {
  return `the body is empty: ${name} has no bytes; pass the body that was sent`;
}

async function conclude(result: BodyResult, flags: VerifyFlags, io: Io): Promise<void> {
  warnOfVisibleSecret(flags, io);
  print(io, flags.json ? jsonOf(result) : await lineOf(result, flags, io));
  io.exit(result.valid ? exitCodes.ok : exitCodes.negative);
}

function jsonOf({ valid, scheme, reason, hint }: BodyResult): string {
  return JSON.stringify({ valid, scheme, reason, hint });
}

async function lineOf({ valid, hint }: BodyResult, flags: VerifyFlags, io: Io): Promise<string> {
  const color = await colors(briefOutput(io), io.env, flags.color);
  return valid ? color.green('valid') : `${color.red('not valid')}: ${hint ?? ''}`;
}
