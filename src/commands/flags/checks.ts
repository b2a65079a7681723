import { InvalidArgumentError, type Command } from 'commander';
import { flagOptionsOf, type FlagOption } from './flag.js';

/**
 * Makes every flag of `command` and of its subcommands refuse mistakes that commander accepts:
 *
 * - another flag as its value: where a value is missing, commander uses the next argument, as in
 *   `--timeout --secret=s`, and an error would print it. `--name=--value` is accepted.
 * - a second value of a flag that is used once
 * - `-` as the name of a file to write, which would make a file of that name
 */
export function checkFlagValues(command: Command, argv: readonly string[]): void {
  for (const subcommand of command.commands) checkFlagValues(subcommand, argv);
  for (const option of flagOptionsOf(command)) {
    if (option.required) checkFlagValue(option, command, argv);
  }
}

function checkFlagValue(option: FlagOption, command: Command, argv: readonly string[]): void {
  const { parseArg, flag } = option;
  const { name, once, insteadOfDash } = flag;
  option.argParser((value: string, previous: unknown): unknown => {
    if (/^--[a-z]/i.test(value) && !argv.includes(`${name}=${value}`)) {
      const reason = `its value is missing; write a value that begins with -- as ${name}=--…`;
      throw new InvalidArgumentError(reason);
    }
    if (once && command.getOptionValueSource(option.attributeName()) === 'cli') {
      throw new InvalidArgumentError('used twice; use it once');
    }
    if (value === '-' && insteadOfDash) {
      throw new InvalidArgumentError(`does not write to standard output; ${insteadOfDash}`);
    }
    return parseArg ? parseArg(value, previous) : value;
  });
}
