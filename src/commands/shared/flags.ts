import type { Command } from 'commander';
import type { BriefOutput, Io } from './command.js';

/** Adds worked examples below the options of `--help`; long ones go on in a further line of the shell. */
export function addExamples(
  command: Command,
  examples: readonly (readonly [string, string])[],
): Command {
  const lines = examples.map(([what, line]) => `  # ${what}\n  $ ${folded(line)}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n\n')}`);
}

/** The widest terminal that needs no folding has 80 columns; `  $ ` and ` \` take six. */
const maxExampleLength = 74;

/** Breaks a command before a flag, so that it can still be pasted. */
function folded(line: string): string {
  const lines: string[] = [];
  for (const part of line.split(/ (?=--[a-z]|\| )/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + part.length <= maxExampleLength) {
      lines[lines.length - 1] = `${last} ${part}`;
    } else {
      lines.push(part);
    }
  }
  return lines.join(' \\\n      ');
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
