import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { parsePort } from '../shared/flag-values.js';
import { addFlags, flag } from '../flags/flag.js';
import { addOutputFlags, type OutputFlags } from '../flags/output.js';
import { profileFlags } from '../flags/target.js';
import { addExamples } from '../shared/examples.js';
import { defaultStateDir } from '../shared/state-dir.js';
import { storeFlags } from '../flags/store.js';
import type { StoreFlags } from '../shared/store-flags.js';

/** The flags of `serve`, parsed. */
export interface ServeFlags extends OutputFlags, StoreFlags {
  config?: string;
  host: string;
  port: number;
  stateDir: string;
  adminTokenFile?: string;
  /** True: of the first destination with alerts. */
  testAlert?: string | true;
}

const serviceFlags = [
  profileFlags.config,
  flag('--port <port>', 'port to listen on; 0 picks a free one', {
    parse: parsePort,
    default: 4500,
  }),
  flag('--host <address>', 'address to listen on; 0.0.0.0 means all', { default: '127.0.0.1' }),
  flag(
    '--state-dir <dir>',
    'directory for undelivered events and other state; not used with --store',
    {
      default: defaultStateDir,
      insteadOfDash: 'use the name of a directory',
    },
  ),
  flag('--admin-token-file <path>', 'file with the admin token; required unless bound to loopback'),
  flag('--test-alert [destination]', 'send one test alert of a destination, and end'),
];

export function define(command: Command, io: Io): void {
  addFlags(command, serviceFlags, 'Service:');
  addFlags(command, Object.values(storeFlags), 'Many machines:');
  addOutputFlags(command);
  command.addHelpText('after', details);
  addExamples(command, examples);
  command.action(async (flags: ServeFlags) => {
    // Half of the pool does DNS lookups, and each slow name blocks one thread. Read at its first use.
    process.env.UV_THREADPOOL_SIZE ??= '16';
    if (flags.testAlert !== undefined) {
      const { testAlert } = await import('./test-alert.js');
      await testAlert(flags.testAlert, flags, io);
      return;
    }
    const { serve } = await import('./run.js');
    await serve(flags, io);
  });
}

const details = `
Clients send to /v1/batch, /v1/track and the other paths of a collection API,
with the write key of a source. The operations page is at /_evfwd/, metrics are
at /_evfwd/metrics. Ctrl-C or SIGTERM finishes in-flight requests and stops.
SIGHUP or a change of the configuration file reloads the configuration.`;

const examples: readonly (readonly [string, string])[] = [
  [
    'accept events on this machine and forward them as configured',
    'evfwd serve --config evfwd.config.yaml',
  ],
  [
    'for the whole network, with an admin token for the operations page',
    'evfwd serve --host 0.0.0.0 --admin-token-file token.txt --state-dir /var/lib/evfwd',
  ],
  [
    'one of several instances that share a PostgreSQL',
    'evfwd serve --store postgres://evfwd@db.internal/evfwd',
  ],
  ['see whether alerts of a destination arrive', 'evfwd serve --test-alert crm'],
  ['logs and the ready line as JSON', 'evfwd serve --json'],
];
