import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';

/** The process as a command sees it. Passed in, so that commands do not read globals. */
export interface Io {
  readonly stdin: Readable & { isTTY?: boolean; fd?: number };
  readonly stdout: Writable & { isTTY?: boolean; columns?: number };
  readonly stderr: Writable & { isTTY?: boolean; columns?: number };
  /** Standard output for a few lines: the stream, or a cheaper writer that does not open it. */
  readonly brief?: BriefOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Sets the exit code; the process ends once all output is written. */
  exit(code: number): void;
}

/** Writes texts like a stream, in the order of calls. */
export interface BriefOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A `command.ts`: flags, help with examples, handler. */
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
