import { InvalidArgumentError, type Command, type Option } from 'commander';

/**
 * Makes every flag of `command` and of its subcommands refuse another flag as its value: where a value
 * is missing, commander uses the next argument, as in `--timeout --secret=s`, and an error would print
 * it. `--name=--value` is accepted.
 */
export function refuseFlagsAsValues(command: Command, argv: readonly string[]): void {
  for (const subcommand of command.commands) refuseFlagsAsValues(subcommand, argv);
  for (const option of command.options) {
    if (option.required) refuseFlagAsValue(option, argv);
  }
}

function refuseFlagAsValue(option: Option, argv: readonly string[]): void {
  const { parseArg, long = '' } = option;
  option.argParser((value: string, previous: unknown): unknown => {
    if (/^--[a-z]/i.test(value) && !argv.includes(`${long}=${value}`)) {
      const reason = `its value is missing; write a value that begins with -- as ${long}=--…`;
      throw new InvalidArgumentError(reason);
    }
    return parseArg ? parseArg(value, previous) : value;
  });
}
