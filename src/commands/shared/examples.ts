import type { Command } from 'commander';

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
