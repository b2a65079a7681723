import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import type { CommandModule, Io } from '../../src/commands/shared/command.js';
import { EvfwdError } from '../../src/errors.js';

export interface RunOptions {
  readonly cwd: string;
  /** The standard input; absent for a terminal. */
  readonly stdin?: string | Buffer;
  readonly env?: Record<string, string>;
}

export interface Run {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command as the command line would, with streams instead of a process. */
export async function runCommand(
  module: CommandModule,
  args: readonly string[],
  { cwd, stdin, env = {} }: RunOptions,
): Promise<Run> {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const input = stdin === undefined ? terminal : new PassThrough().end(stdin);
  const stdout = collected();
  const stderr = collected();
  let exitCode: number | undefined;
  const exit = (code: number) => (exitCode = code);
  const io: Io = { stdin: input, stdout: stdout.stream, stderr: stderr.stream, env, cwd, exit };
  const command = new Command('test').exitOverride();
  module.define(command, io);
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof EvfwdError)) throw error;
    exitCode = error.exitCode;
    stderr.stream.write(`${error.message}\n`);
  }
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function collected() {
  const chunks: Buffer[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
