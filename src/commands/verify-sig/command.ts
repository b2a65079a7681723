import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { collect } from '../shared/collect.js';
import { addFlags, flag } from '../flags/flag.js';
import { addOutputFlags, type OutputFlags } from '../flags/output.js';
import { detectedSchemeFlag, methods, schemesFileFlag, secretFlags } from '../flags/signing.js';
import { addExamples } from '../shared/examples.js';
import type { SecretFlags } from '../shared/secret-flags.js';

/** Flags of `verify-sig`, as commander parses them. */
export interface VerifyFlags extends OutputFlags, SecretFlags {
  signature?: string;
  header?: string[];
  requests?: string;
  scheme?: string;
  url?: string;
  method?: string;
  tolerance?: string;
  at?: string;
  config?: string;
  explain?: boolean;
}

const verifyFlags = {
  signature: flag('--signature <value>', 'value of the X-Signature header, or of that of --scheme'),
  header: flag('--header <line>', "a header of the request, 'Name: value' (repeatable)", {
    parse: collect,
    secret: 'header',
  }),
  requests: flag(
    '--requests <capture>',
    'verify every request of a capture file; - for standard input',
  ),
  explain: flag('--explain', 'try common mistakes and report the one that fits'),
};

const schemeFlags = {
  scheme: {
    ...detectedSchemeFlag,
    text: 'signature scheme, e.g. stripe (default: auto, by the headers; env: EVFWD_SCHEME)',
  },
  url: flag('--url <url>', 'URL that the sender called, for schemes that sign it'),
  method: flag(
    '--method <method>',
    'method of the request, for schemes that sign it (default: POST)',
    { values: methods },
  ),
  tolerance: flag(
    '--tolerance <duration>',
    "how old a signature may be; off: any (default: the scheme's)",
    { values: ['off'] },
  ),
  at: flag('--at <time>', 'judge as of this time: ISO 8601 or seconds (default: now)'),
  config: schemesFileFlag,
};

export function define(command: Command, io: Io): void {
  command
    .description(
      'Verify the signature of a webhook: exit 0 if valid, 1 if not valid, 2 if it could not be checked.',
    )
    .argument('[body]', 'file with the body as it was sent; - for standard input');
  addFlags(command, Object.values(verifyFlags));
  addFlags(command, Object.values(schemeFlags), 'Scheme:');
  addFlags(command, Object.values(secretFlags), 'Secret:');
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
    [
      'verify the webhook of another sender, as of the time when it came',
      'evfwd verify-sig body.json --header "Stripe-Signature: $VALUE" --at 2026-10-01T08:00:00Z',
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
