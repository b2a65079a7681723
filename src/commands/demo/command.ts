import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addFlags, flag } from '../flags/flag.js';
import { outputFlags } from '../flags/output.js';
import { storeFlags } from '../flags/store.js';
import { addExamples } from '../shared/examples.js';
import { print } from '../shared/output.js';
import type { StoreFlags } from '../shared/store-flags.js';

interface DemoFlags extends Pick<StoreFlags, 'store' | 'storeCa'> {
  machines?: boolean;
  color?: boolean;
}

const needsMachines = { needs: { flag: '--machines' } };

const machinesFlags = [
  flag('--machines', 'an import with three workers, of which one is killed'),
  { ...storeFlags.store, ...needsMachines },
  { ...storeFlags.storeCa, ...needsMachines },
];

export function define(command: Command, io: Io): void {
  addFlags(command, [outputFlags.color]);
  addFlags(command, machinesFlags, 'Many machines:');
  addExamples(command, examples);
  command.action(async (flags: DemoFlags) => {
    const { colors } = await import('../../output/text.js');
    const paint = await colors(io.stdout, io.env, flags.color);
    if (flags.machines) {
      const { runMachinesDemo } = await import('./machines.js');
      io.exit(await runMachinesDemo(flags, io, paint));
      return;
    }
    const { runDemo } = await import('./run.js');
    const ok = await runDemo((line) => print(io, line), paint);
    io.exit(ok ? 0 : 1);
  });
}

const examples: readonly (readonly [string, string])[] = [
  ['run the demo; it takes a few seconds', 'evfwd demo'],
  [
    'see what a killed worker means, in half a minute',
    'evfwd demo --machines --store postgres://evfwd@127.0.0.1/postgres',
  ],
];
