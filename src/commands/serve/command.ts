import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { parsePort } from '../shared/flag-values.js';
import { addExamples, addOutputFlags, type OutputFlags } from '../shared/flags.js';
import { defaultStateDir } from '../shared/state-dir.js';

/** The flags of `serve`, parsed. */
export interface ServeFlags extends OutputFlags {
  config?: string;
  host: string;
  port: number;
  stateDir: string;
  adminTokenFile?: string;
}

export function define(command: Command, io: Io): void {
  command
    .option('--config <file>', 'has the sources and destinations (also EVFWD_CONFIG)')
    .option('--port <port>', '0 picks a free one', parsePort, 4500)
    .option('--host <address>', 'address to listen on; 0.0.0.0 is all of them', '127.0.0.1')
    .option('--state-dir <folder>', 'what is not delivered yet is kept here', defaultStateDir)
    .option('--admin-token-file <path>', 'token of the operations page; a must beyond loopback');
  addOutputFlags(command);
  command.addHelpText('after', details);
  addExamples(command, examples);
  command.action(async (flags: ServeFlags) => {
    // Half of them look up names, and each name that hangs keeps one busy. Read at their first use.
    process.env.UV_THREADPOOL_SIZE ??= '16';
    const { serve } = await import('./run.js');
    await serve(flags, io);
  });
}

const details = `
Clients send to /v1/batch, /v1/track and the other paths of a collection API, with the write key
of a source. The operations page is at /_evfwd/, metrics are at /_evfwd/metrics.
Ctrl-C or SIGTERM ends it when what is in flight has ended; SIGHUP reads the configuration again,
as a change of its file does.`;

const examples: readonly (readonly [string, string])[] = [
  [
    'take events on this machine, forward them as the file says',
    'evfwd serve --config evfwd.config.yaml',
  ],
  [
    'for a whole network, with a token for the operations page',
    'evfwd serve --host 0.0.0.0 --admin-token-file token.txt --state-dir /var/lib/evfwd',
  ],
  ['logs and the ready line for machines', 'evfwd serve --json'],
];
