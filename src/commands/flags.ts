import { InvalidArgumentError, type Command } from 'commander';
import { durationHint, durationMs } from '../config/duration.js';
import type { Io } from './command.js';

/** Flags that every command takes. */
export interface OutputFlags {
  json?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

export function addOutputFlags(command: Command): Command {
  return command
    .option('--json', 'machine-readable standard output')
    .option('-q, --quiet', 'errors only on standard error')
    .option('-v, --verbose', 'more detail on standard error')
    .option('--no-color', 'no colours (also NO_COLOR)');
}

/** Adds worked examples below the options of `--help`. */
export function addExamples(
  command: Command,
  examples: readonly (readonly [string, string])[],
): Command {
  const lines = examples.map(([what, line]) => `  # ${what}\n  $ ${line}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n\n')}`);
}

/** A line for people, on standard error. */
export function say(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** A line of data, on standard output. */
export function print(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}

/** `300ms`, `5s`, `2m`, `4h`, `1d` → milliseconds. A bare number is refused: its unit is anyone's guess. */
export function parseDuration(text: string): number {
  const value = durationMs(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError(`"${text}" is not a duration; ${durationHint}.`);
}

/** A whole number from `least` up. */
export function parseWhole(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`"${text}" is not a whole number of at least ${least}.`);
    }
    return value;
  };
}

/** A port to listen on; 0 is any that is free. */
export function parsePort(text: string): number {
  const port = parseWhole(0)(text);
  if (port <= 65_535) return port;
  throw new InvalidArgumentError(`"${text}" is no port; give one from 0 to 65535.`);
}

/** Collects a repeatable flag. */
export function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** `track,identify` → its parts; `\\,` is a comma. */
export function parseList(text: string): string[] {
  const parts = text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ',').trim());
  return parts.filter((part) => part !== '');
}

/** Collects the parts of a flag that takes a list and may be repeated. */
export function collectList(text: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), ...parseList(text)];
}
