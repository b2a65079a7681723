import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addFlagGroups } from '../flags/flag.js';
import { addOutputFlags } from '../flags/output.js';
import { addExamples } from '../shared/examples.js';
import { workerFlags, workerOutputFlags, type WorkerFlags } from './flags.js';

export function define(command: Command, io: Io): void {
  addFlagGroups(command, workerFlags);
  addOutputFlags(command, workerOutputFlags);
  addExamples(command, examples);
  command.action(async (flags: WorkerFlags) => {
    const { work } = await import('./run.js');
    await work(flags, io);
  });
}

const examples: readonly (readonly [string, string])[] = [
  [
    'work on the runs of a store, with the secret of their target',
    'EVFWD_SECRET=… evfwd worker --store postgres://evfwd@db.example.com/events',
  ],
  [
    'the files are in another folder on this machine',
    'evfwd worker --store postgres://evfwd@db.example.com/events --root /data=/mnt/data --secret-file secret.txt',
  ],
  [
    'a password in the URL of the store is not for the process list',
    'EVFWD_STORE=postgres://evfwd:password@db.example.com/events evfwd worker --profile production',
  ],
];
