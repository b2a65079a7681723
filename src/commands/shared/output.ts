import type { BriefOutput, Io } from './command.js';

/** A line for people, on standard error. */
export function say(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** A line of data, on standard output. */
export function print(io: Io, text: string): void {
  briefOutput(io).write(`${text}\n`);
}

/** Standard output, for a command that prints only a few lines. */
export function briefOutput(io: Io): BriefOutput {
  return io.brief ?? io.stdout;
}
