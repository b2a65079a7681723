import type { Command } from 'commander';
import { addFlags, flag, type Flag } from './flag.js';

/** Flags of almost all commands, as commander parses them. */
export interface OutputFlags {
  json?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

export const outputFlags = {
  json: flag('--json', 'print JSON to standard output'),
  quiet: flag('-q, --quiet', 'print only errors to standard error'),
  verbose: flag('-v, --verbose', 'print more detail to standard error'),
  color: flag('--no-color', 'disable colors (env: NO_COLOR)', { variable: 'NO_COLOR' }),
};

/** The flag of every command that prints its help, and its description. */
export const helpFlag = ['-h, --help', 'print this help'] as const;

/** Adds the flags of the output, and `--help` above them. */
export function addOutputFlags(
  command: Command,
  flags: Iterable<Flag> = Object.values(outputFlags),
): Command {
  return addFlags(command.optionsGroup('Output:').helpOption(...helpFlag), flags);
}
