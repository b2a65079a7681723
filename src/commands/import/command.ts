import type { Command } from 'commander';
import { defaults } from '../../defaults.js';
import type { Io } from '../shared/command.js';
import { addExamples, addOutputFlags } from '../shared/flags.js';
import { addDeliveryFlags, addSelectionFlags, type ImportFlags } from './flags.js';
import { addTargetFlags } from '../shared/target-flags.js';

export function define(command: Command, io: Io): void {
  command.argument('<file...>', 'event files: NDJSON, plain or gzip; - for standard input');
  addTargetFlags(command, defaults.retryWindow);
  addSelectionFlags(command);
  addDeliveryFlags(command);
  addOutputFlags(command);
  addExamples(command, examples);
  command.action(async (files: string[], flags: ImportFlags) => {
    const { importFiles } = await import('./run.js');
    await importFiles(files, flags, io);
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
    'retry failed events once the endpoint is fixed',
    'evfwd import .evfwd/history-….dead-letter.ndjson --url https://example.com/hook --secret-file secret.txt',
  ],
];
