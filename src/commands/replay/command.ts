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
    const { compareFlag, comparesHeaders } = await import('./compare-flag.js');
    const call = { io, ...compareFlag({ files, flags, typed }) };
    const withHeaders = comparesHeaders(call.flags);
    if (call.flags.candidate === undefined) {
      const { replayFiles } = await import('./run.js');
      await replayFiles(call);
    } else {
      const { compareVersions } = await import('./candidate.js');
      await compareVersions({ ...call, candidate: call.flags.candidate, withHeaders });
    }
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
  [
    'what does the new version do differently, with both running?',
    'evfwd replay got.ndjson --url http://localhost:3000 --candidate http://localhost:3001',
  ],
];
