import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import { checkHmacKeys } from '../../sign/asymmetric-key.js';
import { openInput, type Input } from '../../sign/body.js';
import type { Io } from '../shared/command.js';
import { print } from '../shared/flags.js';
import {
  detail,
  requireSecrets,
  secretSource,
  warnOfVisibleSecret,
} from '../shared/secret-flags.js';
import { checkOwnSchemes } from '../shared/signing-flags.js';
import { noteUnused } from './unused.js';
import type { SignFlags } from './command.js';

/**
 * Prints the signature of a body, or all headers of its scheme.
 *
 * @throws UsageError when there is no secret or readable body, and for secrets, a scheme or values that
 *   do not fit
 */
export async function signBody(path: string | undefined, flags: SignFlags, io: Io): Promise<void> {
  const secrets = requireSecrets(flags, io);
  const opened = openInput(path, io, printable);
  const input = flags.empty ? opened : { ...opened, chunks: notEmpty(opened) };
  if (secrets.length === 1 && isXSignature(flags, io)) {
    await checkUnused(flags);
    await checkOwnSchemes(flags, io);
    await printXSignature(input, secrets[0]!, flags, io);
    noteUnused('x-signature', flags, io);
  } else {
    const { printByScheme } = await import('./by-scheme.js');
    await printByScheme(input, secrets, flags, io);
  }
  detail(`signed ${input.name}`, flags, io);
  io.exit(0);
}

/** `X-Signature`, whose body need not fit in memory. */
function isXSignature({ scheme }: SignFlags, { env }: Io): boolean {
  const name = scheme ?? env.EVFWD_SCHEME;
  return !name || name === 'x-signature';
}

/** `X-Signature` has neither time nor URL; their flags must be correct all the same. */
async function checkUnused(flags: SignFlags): Promise<void> {
  const { at, url, method, contentType } = flags;
  if ([at, url, method, contentType].every((flag) => flag === undefined)) return;
  const { signedRequestValues } = await import('../shared/signed-request-flags.js');
  signedRequestValues({
    ...(at && { at }),
    ...(url && { url }),
    ...(method && { method }),
    ...(contentType !== undefined && { contentType }),
  });
}

async function printXSignature(
  { chunks }: Input,
  secret: string | Buffer,
  flags: SignFlags,
  io: Io,
): Promise<void> {
  const { digestOfStream } = await import('../../sign/x-signature.js');
  checkHmacKeys([secret], secretSource(flags));
  const signature = (await digestOfStream(chunks, secret)).toString('hex');
  warnOfVisibleSecret(flags, io);
  if (flags.json) print(io, JSON.stringify({ signature }));
  else print(io, flags.headers ? `X-Signature: ${signature}` : signature);
}

/** Nearly always a program before the pipe has failed, and a signature would hide it. */
async function* notEmpty({ chunks, name }: Input): AsyncIterable<Buffer> {
  let isEmpty = true;
  for await (const chunk of chunks) {
    isEmpty &&= chunk.length === 0;
    yield chunk;
  }
  if (isEmpty)
    throw new UsageError(`${name} is empty; use --empty to sign an empty body`, 'empty_body');
}
