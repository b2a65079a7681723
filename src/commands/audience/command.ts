import type { Command } from 'commander';
import type { AudienceKind } from '../../audience/row.js';
import { defaults } from '../../defaults.js';
import { UsageError } from '../../errors.js';
import { quoted } from '../../quoted.js';
import type { AudienceFlags } from './flags.js';
import type { Io } from '../shared/command.js';
import { parseRate, parseWhole } from '../shared/flag-values.js';
import { addExamples, addOutputFlags } from '../shared/flags.js';
import { addTargetFlags } from '../shared/target-flags.js';

export function define(command: Command, io: Io): void {
  command.argument('[what]', 'sync or trait');
  command.action((what: string | undefined) => {
    const found =
      what === undefined ? 'name what to do' : `${quoted(what, 'the argument')} is neither of them`;
    throw new UsageError(`${found}: evfwd audience sync, or evfwd audience trait`);
  });
  defineSync(command.command('sync'), io);
  defineTrait(command.command('trait'), io);
  addExamples(command, examples);
}

function defineSync(command: Command, io: Io): void {
  command
    .summary('send who joined or left since the last run')
    .description('Send an identify for everyone who joined or left the list since the last run.')
    .requiredOption('--name <name>', 'of the audience; its trait is that in snake_case')
    .requiredOption('--members <file>', 'NDJSON or CSV with userId; - is standard input')
    .option('--allow-empty', 'an empty list means that all have left');
  addSharedFlags(command, 'sync', io);
}

function defineTrait(command: Command, io: Io): void {
  command
    .summary('send the values that are new or changed since the last run')
    .description('Send an identify for every user whose value is new or another than before.')
    .requiredOption('--name <name>', 'of the trait; it is sent in snake_case')
    .requiredOption('--values <file>', 'NDJSON or CSV with userId and value; - is standard input');
  addSharedFlags(command, 'trait', io);
}

function addSharedFlags(command: Command, kind: AudienceKind, io: Io): void {
  command.option('--dry-run', 'print what would be sent, send nothing and keep the state as it is');
  addTargetFlags(command, defaults.retryWindow);
  command
    .option(
      '--concurrency <n>',
      'requests in flight to one URL',
      parseWhole(1),
      defaults.concurrency,
    )
    .option('--rate <rate>', 'at most so many events, like 500/s or 90/m', parseRate)
    .option('--state-dir <folder>', 'where it keeps what was sent (default: .evfwd)')
    .option('--fresh', 'forget what was sent before, and send the whole list')
    .option(
      '--dead-letter <file>',
      'where rejected lines and failed events go (default: in the state folder)',
    );
  addOutputFlags(command);
  addExamples(command, examples);
  command.action(async (flags: AudienceFlags) => {
    const { runAudience } = await import('./run.js');
    await runAudience(kind, flags, io);
  });
}

const examples: readonly (readonly [string, string])[] = [
  [
    'who joined or left since yesterday',
    "evfwd audience sync --name 'High Value Users' --members members.csv --url https://example.com/hook",
  ],
  [
    'the same, only shown',
    "evfwd audience sync --name 'High Value Users' --members members.csv --url https://example.com/hook --dry-run",
  ],
  [
    'values that are new or have changed, to a collector',
    "EVFWD_WRITE_KEY=… evfwd audience trait --name 'Last Order Total' --values totals.ndjson --endpoint https://collector.example.com",
  ],
];
