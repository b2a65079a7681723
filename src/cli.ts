import { Command, CommanderError } from 'commander';
import type { CommandEntry, Io } from './commands/command.js';
import { commands } from './commands/index.js';
import { EvfwdError, exitCodes } from './errors.js';
import { printable } from './output/printable.js';
import { version } from './version.js';

/** Runs the program: the command of `argv`, with every error as one line and an exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  ignoreInsecureTls();
  const io = processIo();
  try {
    const program = await programFor(argv[2] === 'help' ? argv[3] : argv[2], io);
    if (argv.length <= 2) program.outputHelp();
    else await program.parseAsync([...argv]);
  } catch (error) {
    report(error, argv, io);
  }
}

/** The commands with their summaries; only the one that is called is loaded. */
async function programFor(called: string | undefined, io: Io): Promise<Command> {
  const program = base(new Command('evfwd'), io)
    .description('Send, import, sign and verify analytics events as webhooks.')
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', '\nevfwd <command> --help shows the flags of a command, with examples.');
  for (const entry of commands) {
    const command = program.command(entry.name).summary(entry.summary).description(sentence(entry));
    if (entry.alias) command.alias(entry.alias);
    base(command, io);
    if (isCalled(entry, called)) (await entry.load()).define(command, io);
  }
  return program;
}

function isCalled({ name, alias }: CommandEntry, called: string | undefined): boolean {
  return called !== undefined && (called === name || called === alias);
}

function sentence({ summary }: CommandEntry): string {
  return `${summary[0]!.toUpperCase()}${summary.slice(1)}.`;
}

function base(command: Command, io: Io): Command {
  return command.exitOverride().configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: () => undefined,
  });
}

function report(error: unknown, argv: readonly string[], io: Io): void {
  if (error instanceof CommanderError && error.exitCode === 0) return;
  const { code, message: text, exitCode } = describe(error, argv[2]);
  const message = printable(text);
  const asJson = argv.includes('--json');
  const line = asJson ? JSON.stringify({ error: { code, message } }) : `evfwd: ${message}`;
  io.stderr.write(`${line}\n`);
  io.exit(exitCode);
}

interface Described {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}

function describe(error: unknown, called: string | undefined): Described {
  if (error instanceof EvfwdError) return error;
  if (error instanceof CommanderError) return describeUsage(error, called);
  const text = error instanceof Error ? error.message : String(error);
  const message = `unexpected: ${text.split('\n', 1)[0]!} (a bug of evfwd; please report it)`;
  return { code: 'unexpected', message, exitCode: exitCodes.negative };
}

function describeUsage(error: CommanderError, called: string | undefined): Described {
  const text = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  const message = invalidArgument(text) ?? `${text}; see ${helpFor(called)}`;
  return { code: 'usage', message, exitCode: exitCodes.usage };
}

/** Our parsers say what is wrong and what to write instead; commander's frame adds nothing. */
function invalidArgument(text: string): string | undefined {
  const [, flag, reason] =
    /^option '(?:-\w, )?(--[\w-]+).*?' argument .* is invalid\. (.*?)\.?$/s.exec(text) ?? [];
  return flag && `${flag}: ${reason!}`;
}

function helpFor(called: string | undefined): string {
  const known = commands.find((entry) => isCalled(entry, called));
  return known ? `evfwd ${known.name} --help` : 'evfwd --help';
}

/**
 * Certificates are always checked. Node obeys this variable only where a connection does not say
 * so itself, but prints a warning that would not be true.
 */
function ignoreInsecureTls(): void {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
}

function processIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  for (const stream of [stdout, stderr]) stream.on('error', onBrokenPipe);
  return {
    stdin,
    stdout,
    stderr,
    env,
    cwd: process.cwd(),
    exit: (code) => {
      process.exitCode = code;
    },
  };
}

/** `| head -1` closes standard output early, which is no error of ours. */
function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
