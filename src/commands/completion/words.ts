import type { Argument, Command, Option } from 'commander';
import { eventTypes } from '../../events/event.js';
import { fixtureNames, historyName } from '../../fixtures/fixtures.js';
import type { CommandEntry, Io } from '../shared/command.js';

/** The shells that there are completion scripts for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/** What can be typed after the program's name. */
export interface CommandWords {
  /** The command and its alias. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly flags: readonly FlagWords[];
  /** What its first argument can be; files, when empty. */
  readonly values: readonly string[];
}

/** A flag in its spellings, long and short. */
export interface FlagWords {
  readonly names: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** What its value can be; files, when empty. */
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

/** With those of its subcommands, each once. */
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

/** Names that their command checks itself, so that its error can name the nearest. */
const valuesOfCommands: Readonly<Record<string, readonly string[]>> = {
  send: eventTypes,
  fixtures: [...fixtureNames, historyName],
  completion: shells,
  audience: ['sync', 'trait'],
};

const valuesOfFlags: Readonly<Record<string, readonly string[]>> = { '--fixture': fixtureNames };
