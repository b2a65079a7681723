import type { Command } from 'commander';
import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import { openInput, type Input } from '../../sign/body.js';
import type { Io } from '../shared/command.js';
import { addExamples, addOutputFlags, print, type OutputFlags } from '../shared/flags.js';
import { addSecretFlags, detail, requireSecret, type SecretFlags } from '../shared/secret-flags.js';

type Flags = OutputFlags & SecretFlags & { empty?: boolean };

export function define(command: Command, io: Io): void {
  command
    .description('Print the X-Signature value of a body: HMAC-SHA1 in lowercase hex.')
    .argument('[body]', 'file with the body; - for standard input')
    .option('--empty', 'sign an empty body');
  addSecretFlags(command);
  addOutputFlags(command);
  addExamples(command, [
    ['the signature of a file', 'evfwd sign body.json --secret-file secret.txt'],
    [
      'the signature of the output of another program',
      'make-body | evfwd sign --secret-file secret.txt',
    ],
    [
      'post a signed body with curl',
      'curl --data-binary @body.json -H "X-Signature: $(evfwd sign body.json)" "$URL"',
    ],
  ]);
  command.action((body: string | undefined, flags: Flags) => run(body, flags, io));
}

async function run(path: string | undefined, flags: Flags, io: Io): Promise<void> {
  const { digestOfStream } = await import('../../sign/x-signature.js');
  const secret = requireSecret(flags, io);
  const input = openInput(path, io, printable);
  const chunks = flags.empty ? input.chunks : notEmpty(input);
  const signature = (await digestOfStream(chunks, secret)).toString('hex');
  detail(`signed ${input.name}`, flags, io);
  print(io, flags.json ? JSON.stringify({ signature }) : signature);
  io.exit(0);
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
