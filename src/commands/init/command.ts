import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addFlags, flag } from '../flags/flag.js';
import { addExamples } from '../shared/examples.js';

/** The flags of `init`, parsed. */
export interface InitFlags {
  force?: boolean;
}

export function define(command: Command, io: Io): void {
  addFlags(command, [flag('--force', 'replace an existing evfwd.config.yaml')]);
  command.addHelpText('after', details);
  addExamples(command, [
    ['start a project', 'evfwd init'],
    ['start over', 'evfwd init --force'],
  ]);
  command.action(async (flags: InitFlags) => {
    const { init } = await import('./run.js');
    await init(flags, io);
  });
}

const details = `
Writes evfwd.config.yaml to this directory, with a profile, a source and a
destination for this machine, and prints the commands to try them. The file
refers to secrets by the names of environment variables.`;
