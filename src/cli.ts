import { Command, CommanderError } from 'commander';
import type { CommandEntry, Io } from './commands/shared/command.js';
import { errorLine } from './commands/shared/error-line.js';
import { helpFlag } from './commands/flags/output.js';
import { briefOutput } from './commands/shared/output.js';
import { normalized } from './commands/shared/command-line.js';
import { asksForAll, helpFormat, rareText } from './commands/shared/help.js';
import { checkFlagValues, checkTogether } from './commands/flags/checks.js';
import { candidatesCommand, commands } from './commands/index.js';
import { processIo } from './commands/shared/process-io.js';
import { unknownCommandMessage, usageMessage } from './commands/shared/usage-message.js';
import { EvfwdError, exitCodes, placeOf, UsageError } from './errors.js';
import { printable } from './output/printable.js';
import { redactUrls } from './output/redact-urls.js';
import { version } from './version.js';

/** Runs the command of `argv`; reports every error as one line and an exit code. */
export async function main(typed: readonly string[], io = processIo()): Promise<void> {
  ignoreInsecureTls();
  const argv = normalized(typed);
  const program = base(new Command('evfwd'), io, false);
  try {
    await define(program, argv, io);
    checkFlagValues(program, argv);
    program.hook('preAction', (_, called) => checkTogether(called, io.env));
    if (argv.length <= 2) program.outputHelp();
    else await program.parseAsync([...argv]);
  } catch (error) {
    report(error, program, { typed, argv }, io);
  }
}

/** Loads and adds the called command; without one, adds all commands with their summaries. */
async function define(program: Command, argv: readonly string[], io: Io): Promise<void> {
  const called = argv[2];
  const showsAll = asksForAll(argv);
  program
    .description('Test, check and replay any webhook; backfill and forward analytics events.')
    .version(version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', '\nevfwd <command> --help shows the flags of a command, with examples.');
  const entry = entryOf(called);
  if (entry) (await entry.load()).define(added(entry, program, io, showsAll), io);
  else if (called !== undefined && !called.startsWith('-')) throw unknownCommand(called);
  else for (const each of commands) added(each, program, io, showsAll);
}

function unknownCommand(typed: string): UsageError {
  const names = commands.flatMap(({ name, alias }) => (alias ? [name, alias] : [name]));
  return new UsageError(unknownCommandMessage(typed, [...names, 'help', 'version']));
}

function entryOf(called: string | undefined): CommandEntry | undefined {
  if (called === candidatesCommand.name) return candidatesCommand;
  return commands.find(({ name, alias }) => called === name || (alias && called === alias));
}

function added(entry: CommandEntry, program: Command, io: Io, showsAll: boolean): Command {
  const command = program.command(entry.name).summary(entry.summary).description(sentence(entry));
  if (entry.alias) command.alias(entry.alias);
  if (!showsAll) command.addHelpText('after', () => rareText(command));
  return base(command, io, showsAll);
}

function sentence({ summary }: CommandEntry): string {
  return `${summary[0]!.toUpperCase()}${summary.slice(1)}.`;
}

function base(command: Command, io: Io, showsAll: boolean): Command {
  const output = () => briefOutput(io);
  return command
    .exitOverride()
    .helpOption(...helpFlag)
    .configureHelp(helpFormat(showsAll))
    .configureOutput({
      writeOut: (text) => output().write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => (output().isTTY ? output().columns : undefined)!,
      getOutHasColors: () => false,
    });
}

interface CommandLine {
  readonly typed: readonly string[];
  /** In the form that commander reads. */
  readonly argv: readonly string[];
}

function report(error: unknown, program: Command, { typed, argv }: CommandLine, io: Io): void {
  if (error instanceof CommanderError && error.exitCode === 0) return;
  const { code, message: text, exitCode } = describe(error, calledOf(program, argv));
  const message = printable(redactUrls(text));
  io.stderr.write(`${errorLine({ code, message }, typed)}\n`);
  io.exit(exitCode);
}

/** The called command, or the program itself. */
function calledOf(program: Command, argv: readonly string[]): Command {
  let called = program;
  for (const word of argv.slice(2)) {
    const next = called.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
    if (!next) break;
    called = next;
  }
  return called;
}

interface Described {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}

function describe(error: unknown, called: Command): Described {
  if (error instanceof EvfwdError) return error;
  if (error instanceof CommanderError) {
    return { code: 'usage', message: usageMessage(error, called), exitCode: exitCodes.usage };
  }
  const { message: text, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const what = `${text.split('\n', 1)[0]!}${placeOf(stack)}`;
  const message = `unexpected error: ${what} (a bug in evfwd; please report it)`;
  return { code: 'unexpected', message, exitCode: exitCodes.negative };
}

/**
 * Certificates are always verified: connections set that explicitly. With this variable, Node would
 * still print a warning, which would be wrong.
 */
function ignoreInsecureTls(): void {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
}
