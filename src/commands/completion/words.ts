import type { Argument, Command, Option } from 'commander';
import { eventTypes } from '../../events/event.js';
import { fixtureNames, historyName } from '../../fixtures/fixtures.js';
import type { CommandEntry, Io } from '../shared/command.js';

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
}

/** A flag with its names, long and short. */
export interface FlagWords {
  readonly names: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** Its possible values; files if empty. */
  readonly values: readonly string[];
}

/** Loads each command and reads the words from its definition. */
export async function commandWords(
  entries: readonly CommandEntry[],
  io: Io,
): Promise<CommandWords[]> {
  const { Command } = await import('commander');
  return Promise.all(
    entries.map(async (entry) => {
      const { name, alias, summary } = entry;
      const command = new Command(name);
      (await entry.load()).define(command, io);
      return { names: alias ? [name, alias] : [name], summary, ...wordsOf(command, name) };
    }),
  );
}

function wordsOf(command: Command, name: string): Pick<CommandWords, 'flags' | 'values'> {
  const flags = optionsOf(command).filter(({ hidden }) => !hidden);
  return {
    flags: [...flags.map(flagWords), help],
    values: choicesOf(command.registeredArguments[0]) ?? valuesOfCommands[name] ?? [],
  };
}

/** Options of the command and its subcommands, without duplicates. */
function optionsOf({ options, commands }: Command): readonly Option[] {
  const all = [...options, ...commands.flatMap((command) => command.options)];
  return all.filter((option, i) => all.findIndex(({ long }) => long === option.long) === i);
}

const help: FlagWords = {
  names: ['-h', '--help'],
  description: 'display help for command',
  takesValue: false,
  values: [],
};

function flagWords(option: Option): FlagWords {
  return {
    names: [option.short, option.long].filter((name) => name !== undefined),
    description: option.description,
    takesValue: option.required || option.optional,
    values: choicesOf(option) ?? valuesOfFlags[option.long ?? ''] ?? [],
  };
}

function choicesOf(defined: Option | Argument | undefined): readonly string[] | undefined {
  return defined?.argChoices;
}

/** Not commander choices: these commands validate the value themselves, to suggest the nearest one. */
const valuesOfCommands: Readonly<Record<string, readonly string[]>> = {
  send: eventTypes,
  fixtures: [...fixtureNames, historyName],
  completion: shells,
  audience: ['sync', 'trait'],
};

const valuesOfFlags: Readonly<Record<string, readonly string[]>> = { '--fixture': fixtureNames };
