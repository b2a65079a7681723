import type { Command } from 'commander';
import { UsageError } from '../../errors.js';
import { similar } from '../../nearest.js';
import { quoted } from '../../quoted.js';
import type { Io } from '../shared/command.js';
import { addFlags } from '../flags/flag.js';
import { addOutputFlags, outputFlags } from '../flags/output.js';
import { queueFlags } from '../flags/queue.js';
import { connectionFlags } from '../flags/target.js';
import { addExamples } from '../shared/examples.js';
import type { RunsFlags } from './context.js';
import { subcommands, type Subcommand } from './subcommands.js';

/** Somebody waits at a terminal: a server that is in trouble for longer is an error. */
const patienceMs = 10_000;

export function define(command: Command, io: Io): void {
  // A mistyped subcommand and its arguments; checked here, to suggest the nearest one.
  command.allowExcessArguments();
  command.action(() => {
    const [typed] = command.args;
    if (typed !== undefined) throw unknownSubcommand(typed);
    return start(subcommands[0], command, io);
  });
  for (const subcommand of subcommands) defineSubcommand(subcommand, command, io);
  addRunsFlags(command);
  addExamples(command, examples);
}

function defineSubcommand(subcommand: Subcommand, parent: Command, io: Io): void {
  const { name, summary, description, takesRun } = subcommand;
  const command = parent.command(name).summary(summary).description(description);
  command.allowExcessArguments(false);
  if (takesRun) command.argument('<id>', 'id of the run, or a unique beginning of it');
  addRunsFlags(command);
  command.action((id: unknown) =>
    start(subcommand, command, io, typeof id === 'string' ? id : undefined),
  );
}

const { json, quiet, color } = outputFlags;

function addRunsFlags(command: Command): void {
  addFlags(command, [...Object.values(queueFlags), connectionFlags.ca], 'Queue:');
  addOutputFlags(command, [
    { ...json, text: 'print JSON to standard output, one line per run' },
    quiet,
    color,
  ]);
}

async function start(subcommand: Subcommand, command: Command, io: Io, id?: string): Promise<void> {
  // Commander assigns a flag that `runs` has as well to `runs`, wherever it is typed.
  const flags: RunsFlags = command.optsWithGlobals();
  const work = await subcommand.load();
  const { openQueue } = await import('../shared/queue-flags.js');
  const { isReadOnly } = subcommand;
  const queue = await openQueue(flags, io, { isReadOnly, patienceMs });
  try {
    io.exit(await work({ queue, flags, io }, id ?? ''));
  } finally {
    await queue.close();
  }
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
  ['all runs of a server', 'evfwd runs --queue redis://queue.internal/0'],
  ['one of them, by the beginning of its id', 'EVFWD_QUEUE=redis://… evfwd runs show hist'],
  [
    'the events that failed, as a file to import',
    'evfwd runs dead-letters hist --queue redis://queue.internal/0 > failed.ndjson',
  ],
  [
    'the ids of all runs that have ended',
    'evfwd runs --json | jq -r \'select(.state == "finished").id\'',
  ],
];
