import type { Command } from 'commander';
import { UsageError } from '../../errors.js';
import { similar } from '../../nearest.js';
import { quoted } from '../../quoted.js';
import type { Io } from '../shared/command.js';
import { addFlags, flag, type Flag } from '../flags/flag.js';
import { addOutputFlags, outputFlags } from '../flags/output.js';
import { storeFlags } from '../flags/store.js';
import { stateFlags } from '../flags/run.js';
import { addExamples } from '../shared/examples.js';
import { storeSource, storeUrl } from '../shared/store-flags.js';
import { defaultStateDir } from '../shared/state-dir.js';
import type { RunsFlags } from './context.js';
import { subcommands, type Subcommand } from './subcommands.js';

export function define(command: Command, io: Io): void {
  // A mistyped subcommand and its arguments; checked here, to suggest the nearest one.
  command.allowExcessArguments();
  command.action(() => {
    const [typed] = command.args;
    if (typed !== undefined) throw unknownSubcommand(typed);
    return start(subcommands[0], command, io);
  });
  command.description(description);
  for (const subcommand of subcommands) defineSubcommand(subcommand, command, io);
  addRunsFlags(command, subcommands[0]);
  addExamples(command, examples);
}

function defineSubcommand(subcommand: Subcommand, parent: Command, io: Io): void {
  const { name, summary, description, takesRun } = subcommand;
  const command = parent.command(name).summary(summary).description(description);
  command.allowExcessArguments(false);
  const isForFolder = subcommand.loadForFolder !== undefined;
  if (takesRun) command.argument(isForFolder ? '[id...]' : '<id>', idText);
  addRunsFlags(command, subcommand);
  if (takesRun && isForFolder) addFlags(command, Object.values(removeFlags), 'Runs of a folder:');
  command.action((typed: unknown) => start(subcommand, command, io, idsOf(typed)));
}

function idsOf(typed: unknown): string[] {
  if (typeof typed === 'string') return [typed];
  return Array.isArray(typed) ? (typed as string[]) : [];
}

const description =
  'List the imports, replays and audiences of this folder, or with --store: list, show, pause, resume, cancel, verify and remove the runs of a store on PostgreSQL.';

const idText = 'id of the run, or a unique beginning of it';

const stateDirFlag: Flag = {
  ...stateFlags.stateDir,
  text: 'directory of the runs, without a store (default: .evfwd)',
};

const removeFlags = {
  finished: flag('--finished', 'remove all that are finished and have no dead letters to send'),
  force: flag('--force', 'remove also what is pending, and dead letters that were not sent'),
};

const { json, quiet, color } = outputFlags;

function addRunsFlags(command: Command, { loadForFolder }: Subcommand): void {
  addFlags(command, Object.values(storeFlags), 'Many machines:');
  if (loadForFolder) addFlags(command, [stateDirFlag], 'Runs of a folder:');
  addOutputFlags(command, [
    { ...json, text: 'print JSON to standard output, one line per run' },
    quiet,
    color,
  ]);
}

async function start(
  subcommand: Subcommand,
  command: Command,
  io: Io,
  ids: readonly string[] = [],
): Promise<void> {
  // Commander assigns a flag that `runs` has as well to `runs`, wherever it is typed.
  const flags: RunsFlags = command.optsWithGlobals();
  if (isForFolder(flags, subcommand, io)) {
    const work = await subcommand.loadForFolder!();
    io.exit(await work({ flags, io, folder: flags.stateDir ?? defaultStateDir }, ids));
    return;
  }
  if (subcommand.takesRun) checkOneRun(subcommand, ids);
  const work = await subcommand.load();
  const { openRuns } = await import('../shared/open-runs.js');
  const { isReadOnly } = subcommand;
  const store = await openRuns(flags, io, { isReadOnly });
  try {
    io.exit(await work({ store, flags, io }, ids[0] ?? ''));
  } finally {
    await store.close();
  }
}

/** Whether the runs of a folder are meant. @throws UsageError for flags of a folder and of a store together */
function isForFolder(flags: RunsFlags, { name, loadForFolder }: Subcommand, io: Io): boolean {
  const { store, storeSchema, storeCa, requireDurable, stateDir, finished, force } = flags;
  const isStore = [store, storeSchema, storeCa, requireDurable].some((each) => each !== undefined);
  const isShared = isStore || (storeUrl({}, io) !== undefined && stateDir === undefined);
  if (!isShared && loadForFolder) return true;
  const given = { '--state-dir': stateDir !== undefined, '--finished': finished, '--force': force };
  const typed = Object.entries(given).find(([, isGiven]) => isGiven)?.[0];
  if (typed === undefined) return false;
  throw new UsageError(
    loadForFolder
      ? `${typed} is for the runs of a folder, ${storeSource(flags, io)} for those of a store; use one of them`
      : `evfwd runs ${name} is for the runs of a store; leave out ${typed}`,
  );
}

/** As commander checks the one argument of the other subcommands. */
function checkOneRun({ name }: Subcommand, [id, second]: readonly string[]): void {
  const next = `see evfwd runs ${name} --help`;
  if (id === undefined) throw new UsageError(`<id> is missing: ${idText}; ${next}`);
  if (second === undefined) return;
  throw new UsageError(
    `unexpected argument: of a store, evfwd runs ${name} takes one <id>; ${next}`,
  );
}

function unknownSubcommand(typed: string): UsageError {
  const names = subcommands.map(({ name }) => name);
  const near = similar(typed, names);
  const advice = near === undefined ? '' : ` (Did you mean ${near}?)`;
  const what = quoted(typed, 'the argument');
  return new UsageError(
    `${what} is not a subcommand of evfwd runs${advice}; use one of ${names.join(', ')}`,
  );
}

const examples: readonly (readonly [string, string])[] = [
  ['the imports, replays and audiences of this folder', 'evfwd runs'],
  ['remove those that are finished', 'evfwd runs remove --finished'],
  ['all runs of a store', 'evfwd runs --store postgres://evfwd@db.internal/events'],
  ['one of them, by the beginning of its id', 'EVFWD_STORE=postgres://… evfwd runs show hist'],
  [
    'the events that failed, as a file to import',
    'evfwd runs dead-letters hist --store postgres://evfwd@db.internal/events > failed.ndjson',
  ],
  [
    'the ids of all runs that have ended',
    'evfwd runs --json | jq -r \'select(.state == "finished").id\'',
  ],
];
