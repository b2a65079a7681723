import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { collect, parseDuration, parsePort, parseWhole } from '../shared/flag-values.js';
import { addExamples, addOutputFlags, type OutputFlags } from '../shared/flags.js';
import { addSchemeFlags, type SchemeFlags } from '../shared/signing-flags.js';

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

export function define(command: Command, io: Io): void {
  command
    .optionsGroup('Receiver:')
    .option('--port <port>', 'port to listen on; 0 picks a free one', parsePort, 4400)
    .option('--host <address>', 'address to listen on; 0.0.0.0 means all', '127.0.0.1')
    .option('--record <file>', 'append a capture line per request to this file');
  command.optionsGroup('Signatures:');
  addSchemeFlags(command)
    .option(
      '--verify <rule>',
      'scheme and secret of a path: path=<p>,scheme=<name>,secret-file=<path> (repeatable)',
      collect,
    )
    .option('--config <file>', 'configuration file with own schemes (env: EVFWD_CONFIG)')
    .option('--enforce', 'respond with 401 unless the signature is valid')
    .optionsGroup('Responses:')
    .option('--dedupe', 'recognize repeats, and respond to them as to the first')
    .option(
      '--respond <rule>',
      "a fixed response, e.g. 'path=/slack,body={body.challenge}' (repeatable)",
      collect,
    )
    .option('--forward <url>', 'pass requests on to an app, and its responses back')
    .option(
      '--forward-timeout <duration>',
      "time for the app's response (default: 30s)",
      parseDuration,
    )
    .optionsGroup('Faults:')
    .option('--fault <fault>', 'inject a fault, e.g. status=503,rate=10% (repeatable)', collect)
    .option(
      '--seed <number>',
      'seed of random faults, to repeat them (default: random)',
      parseWhole(0),
    )
    .optionsGroup('Expectations:')
    .option('--expect <rule>', "exit 0 once the rule is met, e.g. 'track>=3' (repeatable)", collect)
    .option('--within <duration>', 'exit 1 if --expect is not met within this time', parseDuration)
    .option('--junit <file>', 'write the result of each --expect as JUnit XML');
  addOutputFlags(command).option(
    '--print-body',
    'print the body of each request, at most 4 KB of it',
  );
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
