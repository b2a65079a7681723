import { EvfwdError, exitCodes } from '../errors.js';
import { reasonOf } from './input.js';

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
    const message = `${file}: ${reasonOf(cause)}, after ${lines} whole lines; fix the file and run again`;
    super('broken_input', message, exitCodes.incomplete, { cause });
    this.file = file;
    this.lines = lines;
  }
}
