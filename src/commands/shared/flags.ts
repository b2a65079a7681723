import type { Command } from 'commander';
import type { BriefOutput, Io } from './command.js';

/** Flags shared by almost all commands. */
export interface OutputFlags {
  json?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

export function addOutputFlags(command: Command): Command {
  return command
    .option('--json', 'print JSON to standard output')
    .option('-q, --quiet', 'print only errors to standard error')
    .option('-v, --verbose', 'print more detail to standard error')
    .option('--no-color', noColorText);
}

/** The help text of `--no-color`. */
export const noColorText = 'disable colors (environment: NO_COLOR)';

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
  briefOutput(io).write(`${text}\n`);
}

/** Standard output, for a command that prints only a few lines. */
export function briefOutput(io: Io): BriefOutput {
  return io.brief ?? io.stdout;
}
