import { homedir } from 'node:os';
import type { Command } from 'commander';
import { flagsOf, type Flag } from '../flags/flag.js';
import { helpFlag } from '../flags/output.js';
import type { CommandEntry, Io } from '../shared/command.js';
import type { Shell } from './stubs.js';

/** Words that may come next, or the kind of files. */
export interface Candidates {
  readonly kind: 'words' | 'files' | 'at-files';
  readonly words: readonly Candidate[];
}

interface Candidate {
  readonly word: string;
  readonly description?: string;
}

/** Prints what can complete a command line: the kind, then a candidate per line. */
export function define(command: Command, io: Io): void {
  command.argument('<shell>').argument('[words...]');
  command.action(async (shell: Shell, words: string[]) => {
    const { commands } = await import('../index.js');
    const { kind, words: candidates } = await candidatesFor(words, commands, io);
    const lines = candidates.map((each) => lineOf(each, shell));
    io.stdout.write([kind, ...lines].map((line) => `${line}\n`).join(''));
    io.exit(0);
  });
}

/** In bash there are no descriptions. */
function lineOf({ word, description = '' }: Candidate, shell: Shell): string {
  if (shell === 'bash' || description === '') return word;
  return `${word}${shell === 'zsh' ? ':' : '\t'}${description}`;
}

/**
 * @param typed the words after the program, as the shell splits them; the last one is to be completed
 * @param io Passed to the command as it is defined; nothing is run.
 */
export async function candidatesFor(
  typed: readonly string[],
  commands: readonly CommandEntry[],
  io: Io,
): Promise<Candidates> {
  const [called = '', ...words] = joined(typed);
  const isHelp = called === 'help' && words.length === 1;
  if (words.length === 0 || isHelp) return ofWords(commandNames(commands));
  const entry = commands.find(({ name, alias }) => name === called || alias === called);
  if (!entry) return files;
  const { Command } = await import('commander');
  const command = new Command(entry.name);
  (await entry.load()).define(command, io);
  const subcommand = command.commands.find((each) => each.name() === words[0]);
  if (subcommand && words.length > 1) return within(subcommand, words.slice(1), io);
  return within(command, words, io);
}

const files: Candidates = { kind: 'files', words: [] };

function ofWords(words: readonly Candidate[]): Candidates {
  return { kind: 'words', words };
}

/** bash splits `--flag=value` at the equals sign, and `@file` behind the @. */
function joined(typed: readonly string[]): string[] {
  const words = [...typed];
  while (/^(?:=|=?@)$/.test(words.at(-2) ?? '')) {
    words.push(words.splice(-2).join(''));
  }
  if (words.at(-1)?.startsWith('=')) words.push(words.pop()!.slice(1));
  return words;
}

function commandNames(commands: readonly CommandEntry[]): Candidate[] {
  const names = commands.flatMap(({ name, alias, summary }) =>
    [name, ...(alias === undefined ? [] : [alias])].map((word) => ({ word, description: summary })),
  );
  return [...names, { word: 'help', description: 'print the help of a command' }];
}

/** @param words those behind the command */
async function within(command: Command, words: readonly string[], io: Io): Promise<Candidates> {
  const [previous = '', current = ''] = [words.at(-2), words.at(-1)];
  const flags = flagsOf(command).filter(({ isHidden }) => !isHidden);
  const name = /^(--[\w-]+)=/.exec(current)?.[1] ?? previous;
  const flag = flags.find((each) => each.name === name || each.short === name);
  if (flag?.value !== undefined) return valuesOf(flag, words, io);
  if (current.startsWith('-')) return ofWords([...flags.flatMap(flagNames), ...helpNames]);
  const values = await argumentsOf(command);
  return values.length === 0 ? files : ofWords(values);
}

function flagNames({ name, short, text: description }: Flag): Candidate[] {
  const names = short === undefined ? [name] : [short, name];
  return names.map((word) => ({ word, description }));
}

const helpNames = helpFlag[0].split(', ').map((word) => ({ word, description: helpFlag[1] }));

async function valuesOf(
  { values = [], completes }: Flag,
  words: readonly string[],
  io: Io,
): Promise<Candidates> {
  if (completes === 'at-files') return { kind: 'at-files', words: [] };
  if (completes === undefined && values.length === 0) return files;
  const { profileNames, schemeNames } = await import('./names.js');
  const config = configIn(words) ?? io.env.EVFWD_CONFIG;
  const surroundings = { cwd: io.cwd, env: { ...io.env, EVFWD_CONFIG: config } };
  const names = {
    profiles: () => profileNames(surroundings),
    schemes: () => schemeNames(surroundings),
  };
  const found = completes === undefined ? [] : await names[completes]();
  return ofWords([...values, ...found].map((word) => ({ word })));
}

/** The configuration file of the line, which the shell has not expanded. */
function configIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^--config(?:=|$)/.test(word));
  if (at < 0) return undefined;
  const isSplit = words[at + 1] === '=';
  const value = words[at]!.slice('--config='.length) || words[at + (isSplit ? 2 : 1)];
  return value?.replace(/^~(?=\/)/, homedir());
}

/** The values of the first argument. Not commander's choices: commands validate it, to suggest the nearest. */
async function argumentsOf(command: Command): Promise<Candidate[]> {
  const subcommands = command.commands.map((each) => ({
    word: each.name(),
    description: each.summary(),
  }));
  const values = (await argumentValues[command.name()]?.()) ?? [];
  return [...subcommands, ...values.map((word) => ({ word }))];
}

const argumentValues: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  send: async () => (await import('../../events/event.js')).eventTypes,
  fixtures: async () => {
    const { fixtureNames, historyName } = await import('../../fixtures/fixtures.js');
    return [...fixtureNames, historyName];
  },
  completion: async () => (await import('./stubs.js')).shells,
};
