import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { collect, parseDuration, parsePort, parseWhole } from '../shared/flag-values.js';
import { addExamples, addOutputFlags, type OutputFlags } from '../shared/flags.js';
import { addSecretFlags, type SecretFlags } from '../shared/secret-flags.js';

export interface ListenFlags extends OutputFlags, SecretFlags {
  port: number;
  host: string;
  record?: string;
  fault?: string[];
  seed?: number;
  expect?: string[];
  /** Milliseconds. */
  within?: number;
  junit?: string;
}

export function define(command: Command, io: Io): void {
  command
    .option('--port <port>', '0 picks a free one', parsePort, 4400)
    .option('--host <address>', 'address to listen on; 0.0.0.0 is all of them', '127.0.0.1')
    .option('--record <file>', 'add a capture line for each request to this file')
    .option('--fault <fault>', 'misbehave, like status=503,rate=10%; repeatable', collect)
    .option('--seed <number>', 'makes the faults of --fault repeat; default: random', parseWhole(0))
    .option('--expect <rule>', "end with 0 once it holds, like 'track>=3'; repeatable", collect)
    .option('--within <duration>', 'end with 1 when --expect does not hold by then', parseDuration)
    .option('--junit <file>', 'write the result of each --expect as JUnit XML');
  addSecretFlags(command);
  addOutputFlags(command);
  command.addHelpText('after', details);
  addExamples(command, examples);
  command.action(async (flags: ListenFlags) => {
    const { listen } = await import('./run.js');
    await listen(flags, io);
  });
}

const details = `
Faults: status=<n>, delay=<d>, reset, hang, truncate, slow=<d>, each with rate=<p%> or first=<n>,
  type=<t>, path=<p>; parts are joined by commas. The first that matches and fires wins.
Rules: track, 'track:Order Completed', '*' (anything), signature:invalid, with >=, <=, ==, !=, >
  or < and a number; without them, at least one.`;

const examples: readonly (readonly [string, string])[] = [
  [
    'see what arrives, and whether its signature holds',
    'evfwd listen --secret-file secret.txt --record got.ndjson',
  ],
  [
    'fail one request in ten, the same ones every time',
    "evfwd listen --fault 'status=503,rate=10%' --seed 7",
  ],
  [
    'in CI: three orders within 30 seconds, none of them signed wrongly',
    "evfwd listen --secret-file secret.txt --expect 'track:Order Completed>=3' --expect 'signature:invalid==0' --within 30s",
  ],
];
