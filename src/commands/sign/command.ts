import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addFlags, flag } from '../flags/flag.js';
import { addOutputFlags, type OutputFlags } from '../flags/output.js';
import { methods, schemeFlag, schemesFileFlag, secretFlags } from '../flags/signing.js';
import { addExamples } from '../shared/examples.js';
import type { SecretFlags } from '../shared/secret-flags.js';

/** Flags of `sign`, as commander parses them. */
export interface SignFlags extends OutputFlags, SecretFlags {
  empty?: boolean;
  headers?: boolean;
  scheme?: string;
  id?: string;
  at?: string;
  url?: string;
  method?: string;
  contentType?: string;
  config?: string;
}

const signFlags = {
  headers: flag('--headers', 'print all headers of the scheme, one per line, e.g. for curl -H @-'),
  empty: flag('--empty', 'sign an empty body'),
};

const schemeFlags = {
  scheme: {
    ...schemeFlag,
    text: 'signature scheme, e.g. stripe (default: x-signature; env: EVFWD_SCHEME)',
  },
  id: flag('--id <id>', 'id of the webhook, for schemes that sign it (default: random)'),
  at: flag('--at <time>', 'time of the signature: ISO 8601 or seconds (default: now)'),
  url: flag('--url <url>', 'URL that it is sent to, for schemes that sign it'),
  method: flag(
    '--method <method>',
    'method of the request, for schemes that sign it (default: POST)',
    { values: methods },
  ),
  contentType: flag(
    '--content-type <type>',
    'of the request: tells twilio whether the body is a form',
  ),
  config: schemesFileFlag,
};

export function define(command: Command, io: Io): void {
  command
    .description('Print the signature of a body: what goes into the header of its scheme.')
    .argument('[body]', 'file with the body; - for standard input');
  addFlags(command, Object.values(signFlags));
  addFlags(command, Object.values(schemeFlags), 'Scheme:');
  addFlags(command, Object.values(secretFlags), 'Secret:');
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
    [
      'the same by another scheme, with all its headers',
      'evfwd sign body.json --scheme svix --headers | curl -H @- --data-binary @body.json "$URL"',
    ],
  ]);
  command.action((body: string | undefined, flags: SignFlags) => run(body, flags, io));
}

async function run(path: string | undefined, flags: SignFlags, io: Io): Promise<void> {
  const { signBody } = await import('./run.js');
  await signBody(path, flags, io);
}
