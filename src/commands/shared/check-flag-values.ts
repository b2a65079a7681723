import { InvalidArgumentError, type Command, type Option } from 'commander';

/**
 * Makes every flag of `command` and of its subcommands refuse mistakes that commander accepts:
 *
 * - another flag as its value: where a value is missing, commander uses the next argument, as in
 *   `--timeout --secret=s`, and an error would print it. `--name=--value` is accepted.
 * - a second value of a flag that says where events go, which would silently replace the first. Of
 *   other flags the last value counts, so that a script can add to flags that it is given.
 * - `-` as the name of a file to write, which would make a file of that name.
 */
export function checkFlagValues(command: Command, argv: readonly string[]): void {
  for (const subcommand of command.commands) checkFlagValues(subcommand, argv);
  for (const option of command.options) {
    if (option.required) checkFlagValue(option, command, argv);
  }
}

const onceOnly = [
  ...['--profile', '--config', '--write-key', '--endpoint'],
  ...['--scheme', '--also-scheme', '--also-secret-file', '--data', '--fixture'],
];

/** The flags that name what is written, and what to use instead of `-`. */
const insteadOfDash: Readonly<Record<string, string>> = {
  '--log': 'use a file name, or /dev/stdout in a pipe',
  '--dead-letter': 'use a file name, or /dev/stdout in a pipe',
  '--record': 'use a file name, or --json to print captures',
  '--junit': 'use a file name',
  '--html': 'use a file name',
  '--state-dir': 'use the name of a directory',
};

function checkFlagValue(option: Option, command: Command, argv: readonly string[]): void {
  const { parseArg, long = '' } = option;
  const name = option.attributeName();
  option.argParser((value: string, previous: unknown): unknown => {
    if (/^--[a-z]/i.test(value) && !argv.includes(`${long}=${value}`)) {
      const reason = `its value is missing; write a value that begins with -- as ${long}=--…`;
      throw new InvalidArgumentError(reason);
    }
    if (onceOnly.includes(long) && command.getOptionValueSource(name) === 'cli') {
      throw new InvalidArgumentError('used twice; use it once');
    }
    const instead = insteadOfDash[long];
    if (value === '-' && instead) {
      throw new InvalidArgumentError(`does not write to standard output; ${instead}`);
    }
    return parseArg ? parseArg(value, previous) : value;
  });
}
