import { EvfwdError, exitCodes } from '../errors.js';
import { reasonOf } from './input.js';
import { SourceError } from './source-error.js';

/**
 * An input that could not be read to its end. Its whole lines were read; of gzip data that is damaged in
 * the middle of a member, those in the pieces of 16 KB that were inflated before the damage.
 */
export class BrokenInputError extends EvfwdError {
  /** Path as it was passed; `-` is standard input. */
  readonly file: string;
  /** Number of whole lines read before. */
  readonly lines: number;

  /** @internal */
  constructor(file: string, lines: number, cause: unknown) {
    const read = `${lines} whole ${lines === 1 ? 'line' : 'lines'}`;
    const message = `${file}: ${reasonOf(cause)}, after ${read}; ${adviceOf(cause)}`;
    super('broken_input', message, exitCodes.incomplete, { cause });
    this.file = file;
    this.lines = lines;
  }
}

/** Data after the gzip data must not be cut off: the file would be a changed one, and its lines would be sent again. */
function adviceOf(cause: unknown): string {
  if (cause instanceof SourceError && cause.advice !== undefined) return cause.advice;
  if ((cause as NodeJS.ErrnoException).code !== 'Z_JUNK_ERROR') return 'fix the file and run again';
  return 'if that data holds events, copy it to a file of its own';
}
