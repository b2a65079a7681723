import type { Command } from 'commander';
import type { AudienceKind } from '../../audience/row.js';
import { defaults } from '../../defaults.js';
import { UsageError } from '../../errors.js';
import { quoted } from '../../quoted.js';
import type { GivenAudienceFlags } from './flags.js';
import type { Io } from '../shared/command.js';
import { addFlagGroups, addFlags, flag, type Flag } from '../flags/flag.js';
import { addOutputFlags, outputFlags } from '../flags/output.js';
import { concurrencyFlag, deadLetterFlag, rateFlag, stateFlags } from '../flags/run.js';
import { targetFlags } from '../flags/target.js';
import { addExamples } from '../shared/examples.js';

export function define(command: Command, io: Io): void {
  command.argument('[what]', 'sync or trait');
  command.action((what: string | undefined) => {
    const problem =
      what === undefined
        ? 'the subcommand is missing'
        : `${quoted(what, 'the argument')} is not a subcommand`;
    throw new UsageError(`${problem}; use evfwd audience sync or evfwd audience trait`);
  });
  defineSync(command.command('sync'), io);
  defineTrait(command.command('trait'), io);
  addExamples(command, examples);
}

function defineSync(command: Command, io: Io): void {
  command
    .summary('send who joined or left since the last run')
    .description('Send an identify for everyone who joined or left the list since the last run.');
  addListFlags(command, 'sync', io);
}

function defineTrait(command: Command, io: Io): void {
  command
    .summary('send the values that are new or changed since the last run')
    .description('Send an identify for every user whose value is new or has changed.');
  addListFlags(command, 'trait', io);
}

const listFlags: Readonly<Record<AudienceKind, readonly Flag[]>> = {
  sync: [
    flag('--name <name>', 'audience name; its snake_case form is the trait'),
    flag('--members <file>', 'NDJSON or CSV file with userId; - for standard input'),
    flag('--allow-empty', 'accept an empty list: all members leave'),
  ],
  trait: [
    flag('--name <name>', 'trait name; sent in snake_case'),
    flag('--values <file>', 'NDJSON or CSV file with userId and value; - for standard input'),
  ],
};

const { stateDir, fresh } = stateFlags;

const sharedFlags = {
  'Target:': Object.values(targetFlags(defaults.retryWindow)),
  'Speed:': [rateFlag, concurrencyFlag],
  'State and failures:': [
    { ...stateDir, text: 'directory for the state of earlier runs (default: .evfwd)' },
    { ...fresh, text: 'discard the state of earlier runs and send the whole list' },
    deadLetterFlag('rejected lines and failed events'),
  ],
};

function addListFlags(command: Command, kind: AudienceKind, io: Io): void {
  addFlags(command, listFlags[kind], 'List:');
  addFlagGroups(command, sharedFlags);
  addOutputFlags(command, [
    ...Object.values(outputFlags),
    flag('--dry-run', 'print what would be sent; send nothing, change no state'),
  ]);
  addExamples(command, examples);
  command.action(async (flags: GivenAudienceFlags) => {
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
    'the same as a dry run',
    "evfwd audience sync --name 'High Value Users' --members members.csv --url https://example.com/hook --dry-run",
  ],
  [
    'values that are new or have changed, to a collector',
    "EVFWD_WRITE_KEY=… evfwd audience trait --name 'Last Order Total' --values totals.ndjson --endpoint https://collector.example.com",
  ],
];
