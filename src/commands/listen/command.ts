import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { collect, parseDuration, parsePort, parseWhole } from '../shared/flag-values.js';
import { addFlagGroups, flag } from '../flags/flag.js';
import { addOutputFlags, outputFlags, type OutputFlags } from '../flags/output.js';
import { detectedSchemeFlag, schemesFileFlag, secretFlags } from '../flags/signing.js';
import { addExamples } from '../shared/examples.js';
import type { SchemeFlags } from '../shared/signing-flags.js';

export interface ListenFlags extends OutputFlags, SchemeFlags {
  port: number;
  host: string;
  record?: string;
  verify?: string[];
  enforce?: boolean;
  dedupe?: boolean;
  respond?: string[];
  forward?: string;
  /** Milliseconds. */
  forwardTimeout?: number;
  fault?: string[];
  seed?: number;
  expect?: string[];
  /** Milliseconds. */
  within?: number;
  junit?: string;
  printBody?: boolean;
}

/** Below their headings in the help. */
const groups = {
  'Receiver:': [
    flag('--port <port>', 'port to listen on; 0 picks a free one', {
      parse: parsePort,
      default: 4400,
    }),
    flag('--host <address>', 'address to listen on; 0.0.0.0 means all', { default: '127.0.0.1' }),
    flag('--record <file>', 'append a capture line per request to this file', {
      insteadOfDash: 'use a file name, or --json to print captures',
    }),
  ],
  'Signatures:': [
    ...Object.values(secretFlags),
    detectedSchemeFlag,
    flag(
      '--verify <rule>',
      'scheme and secret of a path: path=<p>,scheme=<name>,secret-file=<path> (repeatable)',
      { parse: collect },
    ),
    schemesFileFlag,
    flag('--enforce', 'respond with 401 unless the signature is valid'),
  ],
  'Responses:': [
    flag('--dedupe', 'recognize repeats, and respond to them as to the first'),
    flag(
      '--respond <rule>',
      "a fixed response, e.g. 'path=/slack,body={body.challenge}' (repeatable)",
      { parse: collect },
    ),
    flag('--forward <url>', 'pass requests on to an app, and its responses back'),
    flag('--forward-timeout <duration>', "time for the app's response (default: 30s)", {
      parse: parseDuration,
      needs: { flag: '--forward' },
    }),
  ],
  'Faults:': [
    flag('--fault <fault>', 'inject a fault, e.g. status=503,rate=10% (repeatable)', {
      parse: collect,
    }),
    flag('--seed <number>', 'seed of random faults, to repeat them (default: random)', {
      parse: parseWhole(0),
    }),
  ],
  'Expectations:': [
    flag('--expect <rule>', "exit 0 once the rule is met, e.g. 'track>=3' (repeatable)", {
      parse: collect,
    }),
    flag('--within <duration>', 'exit 1 if --expect is not met within this time', {
      parse: parseDuration,
      needs: { flag: '--expect' },
    }),
    flag('--junit <file>', 'write the result of each --expect as JUnit XML', {
      insteadOfDash: 'use a file name',
      needs: { flag: '--expect' },
    }),
  ],
};

export function define(command: Command, io: Io): void {
  addFlagGroups(command, groups);
  addOutputFlags(command, [
    ...Object.values(outputFlags),
    flag('--print-body', 'print the body of each request, at most 4 KB of it', {
      excludes: {
        '--json': () => '--print-body is for people, and --json has each body; use one of them',
      },
    }),
  ]);
  command.addHelpText('after', details);
  addExamples(command, examples);
  command.action(async (flags: ListenFlags) => {
    const { listen } = await import('./run.js');
    await listen(flags, io);
  });
}

const details = `
--respond: path=<p>, status=<n>, type=<media type>, body=<text> or body=@<file>;
  {body.a.b}, {query.name} and {header.name} in a body are filled in. A path
  may end in /*; without one a rule is for all paths.
--fault: status=<n>, delay=<d>, reset, hang, truncate, slow=<d>, each with
  rate=<p%> or first=<n>, type=<t>, path=<p>; separate the parts by commas.
  The first that matches and fires is applied.
--expect: track, 'track:Order Completed', '*' (anything), signature:invalid,
  with >=, <=, ==, !=, > or < and a number; without them, at least one.`;

const examples: readonly (readonly [string, string])[] = [
  [
    'show what arrives, and whether its signature is valid',
    'evfwd listen --secret-file secret.txt --record got.ndjson',
  ],
  [
    'pass on what is signed by GitHub, once, to an app on port 3000',
    'evfwd listen --scheme github --secret-file secret.txt --enforce --dedupe --forward http://localhost:3000',
  ],
  [
    'fail one request in ten, the same ones every time',
    "evfwd listen --fault 'status=503,rate=10%' --seed 7",
  ],
  [
    'in CI: three orders within 30 seconds, none with an invalid signature',
    "evfwd listen --secret-file secret.txt --expect 'track:Order Completed>=3' --expect 'signature:invalid==0' --within 30s",
  ],
];
