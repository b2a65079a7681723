import type { Command } from 'commander';
import { addFlagGroups, recordFlags } from '../flags/flag.js';
import { addOutputFlags } from '../flags/output.js';
import type { Io } from '../shared/command.js';
import { addExamples } from '../shared/examples.js';
import { addSourceArguments } from '../shared/source-flags.js';
import { commonFlags, importFlags, type ImportFlags } from './flags.js';

export function define(command: Command, io: Io): void {
  addSourceArguments(command);
  addFlagGroups(command, importFlags, commonFlags);
  addOutputFlags(command);
  addExamples(command, examples);
  const typed = recordFlags(command);
  command.action(async (files: string[], flags: ImportFlags) => {
    const { importFiles } = await import('./run.js');
    await importFiles(files, flags, io, { typed });
  });
}

const examples: readonly (readonly [string, string])[] = [
  [
    'a history to an endpoint, signed, at most 500 events per second',
    'evfwd import history-*.ndjson.gz --url https://example.com/hook --secret-file secret.txt --rate 500/s',
  ],
  [
    'the same to a collector',
    'EVFWD_WRITE_KEY=… evfwd import history.ndjson --endpoint https://collector.example.com',
  ],
  [
    'many machines: workers (evfwd worker) send, this one plans and reports',
    'evfwd import history-*.ndjson --url https://example.com/hook --store postgres://evfwd@db.example.com/events',
  ],
  [
    'retry failed events once the endpoint is fixed',
    'evfwd import .evfwd/history-….dead-letter.ndjson --url https://example.com/hook --secret-file secret.txt',
  ],
];
