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
    .description('checks an X-Signature value: exit 0 valid, 1 not valid, 2 could not check')
    .argument('[body]', 'file with the body as it was sent, or - for standard input')
    .option('--signature <hex>', 'the value of the X-Signature header')
    .option('--header <line>', "the whole header, 'X-Signature: <hex>'")
    .option('--requests <capture>', 'check every request of a capture file, - for standard input')
    .option('--explain', 'try the usual accidents and name the one that fits');
  addSecretFlags(command);
  addOutputFlags(command);
  addExamples(command, [
    [
      'Check one body',
      'evfwd verify-sig body.json --signature "$SIGNATURE" --secret-file secret.txt',
    ],
    [
      'Find out why it does not fit',
      'evfwd verify-sig body.json --signature "$SIGNATURE" --explain',
    ],
    ['Check every request of a capture', 'evfwd verify-sig --requests got.ndjson'],
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
