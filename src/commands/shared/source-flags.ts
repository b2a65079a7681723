import type { Command } from 'commander';

/** The flag of commands that read event files. */
export interface SourceFlags {
  filesFrom?: string;
}

/** Event files as arguments; without any, a pipe is read. */
export function addSourceArguments(command: Command): Command {
  return command.argument(
    '[file...]',
    'event files: NDJSON, plain or gzip; - for standard input, which may be left out for a pipe',
  );
}
