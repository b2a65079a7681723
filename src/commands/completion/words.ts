import type { Argument, Command, Option } from 'commander';
import { vendors } from '../../check/settings.js';
import { eventTypes } from '../../events/event.js';
import { fixtureNames, historyName } from '../../fixtures/fixtures.js';
import type { CommandEntry, Io } from '../shared/command.js';
import { helpFlag } from '../shared/flags.js';

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
  /**
   * Values that are known only at completion, beside `values`: profiles of the configuration file, all
   * signature schemes, or files after `@`.
   */
  readonly dynamic?: 'profiles' | 'schemes' | 'at-files' | undefined;
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
  const flags = command.options.filter(({ hidden }) => !hidden);
  return {
    flags: [...flags.map((flag) => flagWords(flag, name)), help],
    values:
      choicesOf(command.registeredArguments[0]) ??
      valuesOfCommands[name] ??
      command.commands.map((subcommand) => subcommand.name()),
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

function flagWords(option: Option, command: string): FlagWords {
  return {
    names: [option.short, option.long].filter((name) => name !== undefined),
    description: option.description,
    takesValue: option.required || option.optional,
    values: choicesOf(option) ?? valuesOfFlags(option.long, command),
    dynamic: dynamicFlags[option.long ?? ''],
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
};

function valuesOfFlags(flag = '', command: string): readonly string[] {
  if (flag === '--scheme') return choosingSchemes.has(command) ? ['auto'] : [];
  return fixedValues[flag] ?? [];
}

/** The commands whose `--scheme` may be `auto`. */
const choosingSchemes = new Set(['verify-sig', 'listen']);

const fixedValues: Readonly<Record<string, readonly string[]>> = {
  '--fixture': fixtureNames,
  '--ids': ['keep', 'new', 'derive'],
  '--types': eventTypes,
  '--speed': ['1x', '10x', 'max'],
  '--body': ['webhook', 'original'],
  '--expect-status': ['2xx', '4xx', '401'],
  '--method': ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'],
  '--handshake': vendors,
  '--compare': ['status', 'body'],
  '--shard': ['auto'],
  '--tolerance': ['off'],
};

const dynamicFlags: Readonly<Record<string, FlagWords['dynamic']>> = {
  '--profile': 'profiles',
  '--scheme': 'schemes',
  '--also-scheme': 'schemes',
  '--data': 'at-files',
  '--properties': 'at-files',
  '--traits': 'at-files',
  '--context': 'at-files',
  '--integrations': 'at-files',
};
