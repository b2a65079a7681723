import type { Readable } from 'node:stream';
import { isGzipFile, readInput, type Input } from './input.js';
import { fileStart, type LineStart } from './lines.js';

export interface SourceOptions {
  /** The input of `-`. Default: the standard input of the process. */
  readonly stdin?: Readable;
  /** Gets the number of bytes read from disk, before they are inflated. */
  readonly onRaw?: (bytes: number) => void;
  /** Stops the reading at once, even while it waits for standard input. */
  readonly signal?: AbortSignal;
}

/** The bytes of one input, chunk by chunk, until it ends, fails or is aborted. */
export class Source {
  /** Where the first chunk begins. */
  readonly start: LineStart;
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #signal: AbortSignal | undefined;
  #hasEnded = false;
  #failure: { readonly cause: unknown } | undefined;

  /** `start` is where to begin; a gzip file is still inflated from its beginning. */
  constructor(input: Input, start: LineStart, options: SourceOptions) {
    const { stdin = process.stdin, onRaw = () => undefined, signal } = options;
    this.start = start.offset > 0 && isGzipFile(input) ? fileStart : start;
    this.#signal = signal;
    this.#chunks = readInput(input, stdin, onRaw, signal, this.start.offset);
  }

  /** Undefined after the last chunk; `hasEnded`, `failure` or the signal has the reason. */
  async next(): Promise<Buffer | undefined> {
    try {
      const next = await this.#chunks.next();
      if (!next.done) return next.value;
      this.#hasEnded = true;
    } catch (cause) {
      if (!this.#signal?.aborted) this.#failure = { cause };
    }
    return undefined;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Why the input could not be read to its end. */
  get failure(): { readonly cause: unknown } | undefined {
    return this.#failure;
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }
}
