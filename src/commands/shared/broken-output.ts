import { exitCodes } from '../../errors.js';
import { errorLine } from './error-line.js';

/** What happens when standard output of this process cannot be written. */
export class BrokenOutput {
  #isFull = false;

  /** An error of standard output; closing a pipe early, like `| head -1`, is none. */
  readonly handle = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE' || this.#isFull) return;
    this.#isFull = true;
    process.stderr.on('error', () => undefined);
    process.stderr.write(`${errorLine({ code, message: messageOf(error) }, process.argv)}\n`);
    process.exitCode = exitCodes.state;
    stop();
  };

  /** The exit code of the process, for the code that its command asks for. */
  exitCode(asked: number): number {
    return this.#isFull ? exitCodes.state : asked;
  }
}

const code = 'output_not_written';

function messageOf({ code = 'unknown error', message }: NodeJS.ErrnoException): string {
  const [, reason] = /^\w+: (.+), write$/.exec(message) ?? [];
  const why = reason === undefined ? code : `${reason} (${code})`;
  return `standard output cannot be written: ${why}; free disk space, or write to another file`;
}

/** Ends a run as SIGTERM would, which saves its state; a command without that has nothing to save. */
function stop(): void {
  if (process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM', 'SIGTERM');
  else process.exit();
}
