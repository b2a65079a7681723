import { exitCodes, UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import { colors } from '../../output/text.js';
import { checkHmacKeys, hmacKeyProblem } from '../../sign/asymmetric-key.js';
import { maxHeldBytes, openInput, wholeBody, type Input } from '../../sign/body.js';
import {
  requestVerifier,
  type RequestHead,
  type RequestVerdict,
  type RequestVerifier,
} from '../../sign/request-verifier.js';
import { presets } from '../../sign/schemes/index.js';
import type { Scheme, Secret } from '../../sign/schemes/scheme.js';
import type { Io } from '../shared/command.js';
import { briefOutput, print, say } from '../shared/output.js';
import {
  detail,
  requireSecrets,
  secretSource,
  warnOfVisibleSecret,
} from '../shared/secret-flags.js';
import { checkOwnSchemes, findOwnSchemes } from '../shared/signing-flags.js';
import type { VerifyFlags } from './command.js';
import type { RequestValues, VerifySettings } from './settings.js';

/**
 * Verifies the signature of one body and prints the result.
 *
 * @throws UsageError when there is no signature, secret or readable body, for an unknown scheme, and for a
 *   secret that is not in its form
 */
export async function checkOne(
  path: string | undefined,
  flags: VerifyFlags,
  io: Io,
): Promise<void> {
  const settings = await settingsOf(flags, io);
  const verifier = requestVerifier({ ...settings, where: secretSource(flags) });
  if (!flags.quiet) for (const warning of verifier.warnings) say(io, `warning: ${warning}`);
  const input = openInput(path, io, printable);
  const checked = await check(verifier, input, settings, flags.explain === true);
  const { valid, scheme, reason } = checked.verdict;
  const by = settings.isXSignatureAlone || scheme === null ? '' : ` by ${scheme}`;
  detail(`${input.name}: ${checked.bytes} bytes${by}`, flags, io);
  const hint = await hintOf(checked, input.name, settings, flags);
  warnOfVisibleSecret(flags, io);
  const isNamed = flags.header !== undefined || flags.scheme !== undefined;
  const shown = isNamed || !settings.isXSignatureAlone ? scheme : undefined;
  if (flags.json) print(io, JSON.stringify({ valid, scheme: shown, reason, hint }));
  else print(io, await lineOf(valid, hint, flags, io));
  io.exit(valid ? exitCodes.ok : exitCodes.negative);
}

async function lineOf(
  isValid: boolean,
  hint: string | undefined,
  flags: VerifyFlags,
  io: Io,
): Promise<string> {
  const color = await colors(briefOutput(io), io.env, flags.color);
  return isValid ? color.green('valid') : `${color.red('not valid')}: ${hint ?? ''}`;
}

interface BodySettings extends VerifySettings {
  readonly secrets: readonly Secret[];
  readonly head: RequestHead;
  readonly nowMs: number;
  /** Whether no other scheme is to be tried. */
  readonly isXSignatureAlone: boolean;
}

async function settingsOf(flags: VerifyFlags, io: Io): Promise<BodySettings> {
  const headers = givenHeaders(flags);
  const isXSignatureAlone = await hasXSignatureAlone(headers, flags, io);
  const settings = isXSignatureAlone
    ? await xSignatureSettings(flags, io)
    : await import('./settings.js').then(({ verifySettings }) => verifySettings(flags, io));
  const { scheme, url, method, atMs: nowMs = Date.now() } = settings;
  const head = { headers: allHeaders(headers, flags, scheme), url, method };
  const secrets = isXSignatureAlone ? hmacKeys(flags, io) : requireSecrets(flags, io);
  return { ...settings, secrets, head, nowMs, isXSignatureAlone };
}

/** Those of `--header`, as pairs. */
function givenHeaders({ signature, header = [] }: VerifyFlags): [name: string, value: string][] {
  if (signature === undefined && header.length === 0) {
    throw new UsageError(
      "no signature: use --signature <hex>, --header 'X-Signature: <hex>' or --requests <file>",
      'no_signature',
    );
  }
  return header.map(parsedHeader);
}

/** Space around a header's value is not part of it. The text is not shown: it may be a secret. */
function parsedHeader(header: string): [name: string, value: string] {
  const colon = header.indexOf(':');
  const name = header.slice(0, Math.max(colon, 0)).trim();
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    return [name, header.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')];
  }
  const problem = colon < 0 ? 'has no colon' : 'has no name before its colon';
  throw new UsageError(
    `--header ${problem}; write it as --header 'Name: value'`,
    'malformed_header',
  );
}

/** Whether the flags have `X-Signature` and nothing that another scheme could be verified by. */
async function hasXSignatureAlone(
  headers: readonly [name: string, value: string][],
  flags: VerifyFlags,
  io: Io,
): Promise<boolean> {
  const names = headers.map(([name]) => name.toLowerCase());
  if (flags.signature !== undefined) names.push('x-signature');
  if (names.length > 1 || names[0] !== 'x-signature') return false;
  const scheme = flags.scheme ?? io.env.EVFWD_SCHEME ?? '';
  if (scheme === 'x-signature') return true;
  if (scheme !== '' && scheme !== 'auto') return false;
  if (headers.length === 0) return true;
  const own = await findOwnSchemes(flags, io);
  return own.every(({ header }) => header.toLowerCase() !== 'x-signature');
}

/** Flags for what it does not sign must be correct all the same. */
async function xSignatureSettings(flags: VerifyFlags, io: Io): Promise<VerifySettings> {
  const { at, url, method, tolerance } = flags;
  let values: RequestValues = {};
  if ([at, url, method, tolerance].some((flag) => flag !== undefined)) {
    const { requestValues } = await import('./settings.js');
    values = requestValues(flags);
  }
  await checkOwnSchemes(flags, io);
  return { ...values, scheme: presets.get('x-signature')!, own: [] };
}

/** Name, value, name, value, …; `--signature` is the value of the scheme's header. */
function allHeaders(
  headers: readonly [name: string, value: string][],
  { signature }: VerifyFlags,
  scheme: Scheme | 'auto',
): string[] {
  if (signature === undefined) return headers.flat();
  if (scheme === 'auto') {
    throw new UsageError(
      '--signature and --header cannot be combined without --scheme; name the scheme, or use --header alone',
    );
  }
  return [scheme.header, signature, ...headers.flat()];
}

/** Unless the scheme was named, keys of other schemes are passed over while a secret remains. */
function hmacKeys(flags: VerifyFlags, io: Io): readonly (string | Buffer)[] {
  const secrets = requireSecrets(flags, io);
  const usable = secrets.filter((secret) => hmacKeyProblem(secret) === undefined);
  const isNamed = (flags.scheme ?? io.env.EVFWD_SCHEME) === 'x-signature';
  if (isNamed || usable.length === 0) checkHmacKeys(secrets, secretSource(flags));
  return usable;
}

interface Checked {
  readonly verdict: RequestVerdict;
  readonly bytes: number;
  /** Absent where it was not kept. */
  readonly body?: Buffer;
}

/** @param keepsBody also where the verifier does not need it whole, up to a limit */
async function check(
  verifier: RequestVerifier,
  input: Input,
  { head, nowMs }: BodySettings,
  keepsBody: boolean,
): Promise<Checked> {
  if (!verifier.verifyChunks) {
    const body = await wholeBody(input);
    return { verdict: verifier.verify({ ...head, body }, nowMs), bytes: body.length, body };
  }
  const kept: Buffer[] = [];
  let bytes = 0;
  async function* passing(): AsyncIterable<Buffer> {
    for await (const chunk of input.chunks) {
      bytes += chunk.length;
      if (keepsBody && bytes <= maxHeldBytes) kept.push(chunk);
      yield chunk;
    }
  }
  const verdict = await verifier.verifyChunks(head, passing(), nowMs);
  const isKept = keepsBody && bytes <= maxHeldBytes;
  return { verdict, bytes, ...(isKept && { body: Buffer.concat(kept) }) };
}

async function hintOf(
  { verdict, bytes, body }: Checked,
  name: string,
  { head, secrets, own, nowMs }: BodySettings,
  flags: VerifyFlags,
): Promise<string | undefined> {
  const { valid, reason, hint } = verdict;
  if (reason === 'mismatch' && bytes === 0) {
    return `the body is empty: ${name} has no bytes; pass the body that was sent`;
  }
  if (valid || !flags.explain) return hint;
  if (!body) return `${hint!}; the body is too large to be explained (above 256 MiB)`;
  const { explainVerdict } = await import('../../sign/explain/explain-verdict.js');
  return explainVerdict({ ...head, body }, verdict, { secrets, own, nowMs }).message;
}
