import { InvalidArgumentError, type Command } from 'commander';
import { UsageError } from '../../errors.js';
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

/**
 * Compares the flags of a command line with each other.
 *
 * @throws UsageError for a flag without one that it needs, and for flags that exclude each other
 */
export function checkTogether(command: Command, env: Environment): void {
  const options = flagOptionsOf(command);
  for (const { flag } of options.filter((option) => isTyped(option, command))) {
    const { name, needs, excludes = {} } = flag;
    const sourceOf = (other: string) => {
      const option = options.find((each) => each.flag.name === other);
      return option && sourceIn(option, command, env);
    };
    if (needs && sourceOf(needs.flag) === undefined) {
      throw new UsageError(`${name} needs ${neededText(needs, options)}; use both`);
    }
    for (const [other, messageFor] of Object.entries(excludes)) {
      const source = sourceOf(other);
      if (source !== undefined) throw new UsageError(messageFor(source));
    }
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

function isTyped(option: FlagOption, command: Command): boolean {
  return command.getOptionValueSource(option.attributeName()) === 'cli';
}

/** What sets a flag: its name, if it was typed, or its variable. */
function sourceIn(option: FlagOption, command: Command, env: Environment): string | undefined {
  const { name, variable } = option.flag;
  if (isTyped(option, command)) return name;
  return variable !== undefined && env[variable] ? variable : undefined;
}

/** `--store (or EVFWD_STORE)`, and what it is. */
function neededText(
  { flag, reason }: NonNullable<FlagOption['flag']['needs']>,
  options: readonly FlagOption[],
): string {
  const variable = options.find((each) => each.flag.name === flag)?.flag.variable;
  const names = variable === undefined ? flag : `${flag} (or ${variable})`;
  return reason === undefined ? names : `${names}, ${reason}`;
}
