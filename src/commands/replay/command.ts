import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addFlagGroups, recordFlags } from '../flags/flag.js';
import { addOutputFlags } from '../flags/output.js';
import { addExamples } from '../shared/examples.js';
import { addCaptureArguments, replayFlags, type ReplayFlags } from './flags.js';

export function define(command: Command, io: Io): void {
  addCaptureArguments(command);
  addFlagGroups(command, replayFlags);
  addOutputFlags(command);
  addExamples(command, examples);
  const typed = recordFlags(command);
  command.action(async (files: string[], flags: ReplayFlags) => {
    const { replayFiles } = await import('./run.js');
    const { compareFlag } = await import('./compare-flag.js');
    await replayFiles({ io, ...compareFlag({ files, flags, typed }) });
  });
}

const examples: readonly (readonly [string, string])[] = [
  [
    'what a receiver recorded, to an app on this machine, as it was received',
    'evfwd replay got.ndjson --url http://localhost:3000',
  ],
  [
    'only what failed, signed anew, to one path',
    "evfwd replay got.ndjson --status 5xx --paths '/stripe/*' --url http://localhost:3000/hook --scheme stripe --secret-file stripe.txt",
  ],
  [
    'does the new version respond as the old one did?',
    'evfwd replay session.har --url http://localhost:3000 --compare body',
  ],
];
