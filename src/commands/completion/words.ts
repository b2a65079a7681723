import type { Command } from 'commander';
import { eventTypes } from '../../events/event.js';
import { fixtureNames, historyName } from '../../fixtures/fixtures.js';
import type { CommandEntry, Io } from '../shared/command.js';
import { flagsOf, type Flag } from '../flags/flag.js';
import { helpFlag } from '../flags/output.js';

/** The shells that have a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/** The words that can follow the program name. */
export interface CommandWords {
  /** The command and its alias. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly flags: readonly FlagWords[];
  /** The values of its first argument; files if empty. */
  readonly values: readonly string[];
  readonly subcommands: readonly CommandWords[];
}

/** A flag with its names, long and short. */
export interface FlagWords {
  readonly names: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** Its possible values; files if empty and not `dynamic`. */
  readonly values: readonly string[];
  readonly dynamic?: Flag['completes'];
}

/** Loads each command and reads the words from its definition. */
export async function commandWords(
  entries: readonly CommandEntry[],
  io: Io,
): Promise<CommandWords[]> {
  const { Command } = await import('commander');
  const words = await Promise.all(
    entries.map(async (entry) => {
      const { name, alias, summary } = entry;
      const command = new Command(name);
      (await entry.load()).define(command, io);
      return { names: alias ? [name, alias] : [name], summary, ...wordsOf(command, name) };
    }),
  );
  const commandNames = words.flatMap(({ names }) => names);
  const summary = 'print the help of a command';
  return [...words, { names: ['help'], summary, flags: [], values: commandNames, subcommands: [] }];
}

function wordsOf(
  command: Command,
  name: string,
): Pick<CommandWords, 'flags' | 'values' | 'subcommands'> {
  const flags = flagsOf(command).filter(({ isHidden }) => !isHidden);
  return {
    flags: [...flags.map(flagWords), help],
    values: valuesOfCommands[name] ?? command.commands.map((subcommand) => subcommand.name()),
    subcommands: command.commands.map((subcommand) => ({
      names: [subcommand.name()],
      summary: subcommand.summary(),
      ...wordsOf(subcommand, subcommand.name()),
    })),
  };
}

const help: FlagWords = {
  names: helpFlag[0].split(', '),
  description: helpFlag[1],
  takesValue: false,
  values: [],
};

function flagWords({ name, short, value, text, values = [], completes }: Flag): FlagWords {
  return {
    names: short === undefined ? [name] : [short, name],
    description: text,
    takesValue: value !== undefined,
    values,
    dynamic: completes,
  };
}

/** Not commander choices: these commands validate the value themselves, to suggest the nearest one. */
const valuesOfCommands: Readonly<Record<string, readonly string[]>> = {
  send: eventTypes,
  fixtures: [...fixtureNames, historyName],
  completion: shells,
};
