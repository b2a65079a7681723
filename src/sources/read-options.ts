import type { Readable } from 'node:stream';
import type { BrokenInputError } from './broken-input.js';

/** The options of `readEvents`. */
export interface ReadEventsOptions {
  /** The stream that `-` reads. Default: the standard input of the process. */
  readonly stdin?: Readable;
  /** Gets the number of bytes of each piece that is read, before it is inflated. */
  readonly onRaw?: (bytes: number) => void;
  /** Called for a truncated input; then the next one is read. Default: the error is thrown. */
  readonly onBroken?: (error: BrokenInputError) => void;
  /** Ends the reading at once, even while it waits for standard input; no error is thrown. */
  readonly signal?: AbortSignal;
}
