import { UsageError } from '../errors.js';
import type { Format } from './formats/kinds.js';
import { isPlain, type Input, type Layout } from './input.js';
import { readInput } from './read-input.js';
import type { ReadEventsOptions } from './read-options.js';
import { fileStart, type LineStart } from './lines.js';

/** What reading one input needs. */
export interface SourceOptions extends ReadEventsOptions {
  /** Formats that the caller reads beside NDJSON; others are refused. Default: none. */
  readonly accepts?: readonly Format[] | undefined;
  /** Whether other known formats are read as NDJSON. Default true. */
  readonly decodes?: boolean | undefined;
}

/** The bytes of one input, chunk by chunk, until it ends, fails or is aborted. */
export class Source {
  /** Where the first chunk begins. */
  readonly start: LineStart;
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #signal: AbortSignal | undefined;
  #begun: { readonly chunk: Buffer | undefined } | undefined;
  #hasEnded = false;
  #layout: Layout | undefined;
  #failure: { readonly cause: unknown } | undefined;

  /** `start` is where to begin; a file that is not plain, or its rows, are still read from their beginning. */
  constructor(input: Input, start: LineStart, options: SourceOptions) {
    const {
      stdin = process.stdin,
      onRaw = () => undefined,
      signal,
      accepts = [],
      decodes,
    } = options;
    this.start = start.offset > 0 && !isPlain(input) ? fileStart : start;
    if (input.rows) this.start = { line: input.rows.from + 1, offset: 0 };
    this.#signal = signal;
    const { offset } = this.start;
    this.#chunks = readInput(input, stdin, onRaw, {
      ...{ signal, offset, accepts, decodes },
      onLayout: (layout) => (this.#layout = layout),
    });
  }

  /**
   * Undefined after the last chunk; `hasEnded`, `failure` or the signal has the reason.
   * @throws UsageError instead of the first chunk if the input cannot be used
   */
  async next(): Promise<Buffer | undefined> {
    const begun = this.#begun;
    if (!begun) return this.#read();
    this.#begun = undefined;
    return begun.chunk;
  }

  /** Waits until the input is known to be an event file; `next` has its first chunk then. */
  async begin(): Promise<void> {
    this.#begun ??= { chunk: await this.#read() };
  }

  /** Its first bytes, at least this many unless there are fewer; `next` has them, too. Before the first `next`. */
  async beginning(bytes: number): Promise<Buffer> {
    await this.begin();
    let chunk = this.#begun?.chunk;
    while (chunk && chunk.length < bytes) {
      const more = await this.#read();
      if (!more) break;
      chunk = Buffer.concat([chunk, more]);
    }
    this.#begun = { chunk };
    return chunk ?? Buffer.alloc(0);
  }

  async #read(): Promise<Buffer | undefined> {
    try {
      const next = await this.#chunks.next();
      if (!next.done) return next.value;
      this.#hasEnded = true;
    } catch (cause) {
      if (cause instanceof UsageError) throw cause;
      if (!this.#signal?.aborted) this.#failure = { cause };
    }
    return undefined;
  }

  /** How the text is stored; known after `begin`. */
  get layout(): Layout | undefined {
    return this.#layout;
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
