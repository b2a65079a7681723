import { exitCodes } from '../../errors.js';
import { printable } from '../../output/printable.js';
import { colors } from '../../output/text.js';
import { openInput } from '../../sign/body.js';
import { checkBody, type BodyCheck } from '../../sign/check-body.js';
import { givenSignature } from '../../sign/given-signature.js';
import type { Io } from '../shared/command.js';
import { briefOutput, print } from '../shared/flags.js';
import { detail, requireSecret } from '../shared/secret-flags.js';
import type { VerifyFlags } from './command.js';

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
  const secret = requireSecret(flags, io);
  const input = openInput(path, io, printable);
  const options = { signature, secret, explain: flags.explain === true };
  const result = ofEmptyBody(await checkBody(input.chunks, options), input.name);
  detail(`${input.name}: ${result.bytes} bytes`, flags, io);
  print(io, flags.json ? jsonOf(result) : await lineOf(result, flags, io));
  io.exit(result.valid ? exitCodes.ok : exitCodes.negative);
}

/** An empty body can have a valid signature; otherwise it explains why there is none. */
function ofEmptyBody(result: BodyCheck, name: string): BodyCheck {
  if (result.valid || result.bytes > 0 || result.reason !== 'mismatch') return result;
  return {
    ...result,
    hint: `the body is empty: ${name} has no bytes; pass the body that was sent`,
  };
}

function jsonOf({ valid, reason, hint }: BodyCheck): string {
  return JSON.stringify({ valid, reason, hint });
}

async function lineOf({ valid, hint }: BodyCheck, flags: VerifyFlags, io: Io): Promise<string> {
  const color = await colors(briefOutput(io), io.env, flags.color);
  return valid ? color.green('valid') : `${color.red('not valid')}: ${hint ?? ''}`;
}
