import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addExamples, addOutputFlags, type OutputFlags } from '../shared/flags.js';
import { addSecretFlags, type SecretFlags } from '../shared/secret-flags.js';

/** Flags of `verify-sig`, as commander parses them. */
export interface VerifyFlags extends OutputFlags, SecretFlags {
  signature?: string;
  header?: string;
  requests?: string;
  explain?: boolean;
}

export function define(command: Command, io: Io): void {
  command
    .description(
      'Verify an X-Signature value: exit 0 if valid, 1 if not valid, 2 if it could not be checked.',
    )
    .argument('[body]', 'file with the body as it was sent; - for standard input')
    .option('--signature <hex>', 'value of the X-Signature header')
    .option('--header <line>', "whole header, 'X-Signature: <hex>'")
    .option('--requests <capture>', 'verify every request of a capture file; - for standard input')
    .option('--explain', 'try common mistakes and report the one that fits');
  addSecretFlags(command);
  addOutputFlags(command);
  addExamples(command, [
    [
      'verify one body',
      'evfwd verify-sig body.json --signature "$SIGNATURE" --secret-file secret.txt',
    ],
    [
      'find out why it is not valid',
      'evfwd verify-sig body.json --signature "$SIGNATURE" --explain',
    ],
    ['verify every request of a capture', 'evfwd verify-sig --requests got.ndjson'],
  ]);
  command.action((body: string | undefined, flags: VerifyFlags) => run(body, flags, io));
}

async function run(body: string | undefined, flags: VerifyFlags, io: Io): Promise<void> {
  if (flags.requests === undefined) {
    const { checkOne } = await import('./body.js');
    await checkOne(body, flags, io);
  } else {
    const { checkRequests } = await import('./requests.js');
    await checkRequests(body, flags.requests, flags, io);
  }
}
