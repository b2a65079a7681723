import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';

/** The process as a command sees it: handed in, so that nothing below reads globals. */
export interface Io {
  readonly stdin: Readable & { isTTY?: boolean; fd?: number };
  readonly stdout: Writable & { isTTY?: boolean; columns?: number };
  readonly stderr: Writable & { isTTY?: boolean; columns?: number };
  /** Standard output for a short answer: its stream, or what does the same without opening it. */
  readonly brief?: BriefOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Sets what the process ends with, once all output is written. */
  exit(code: number): void;
}

/** Takes a text as a stream does, in the order of calls. */
export interface BriefOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
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
