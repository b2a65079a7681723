import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';

/** The process as a command sees it: handed in, so that nothing below reads globals. */
export interface Io {
  readonly stdin: Readable & { isTTY?: boolean; fd?: number };
  readonly stdout: Writable & { isTTY?: boolean; columns?: number };
  readonly stderr: Writable & { isTTY?: boolean; columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Sets what the process ends with, once all output is written. */
  exit(code: number): void;
}

/** One file of `src/commands/`: flags, help with examples, handler. */
export interface CommandModule {
  /** Adds arguments, options, examples and the action to an empty commander command. */
  define(command: Command, io: Io): void;
}

/** A row of the list of commands; the module is loaded when its command is called. */
export interface CommandEntry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}
