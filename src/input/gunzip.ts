import type { TransformOptions } from 'node:stream';
import { createGunzip, type ZlibOptions } from 'node:zlib';

/** Detected by the first bytes, not by the name; RFC 1952 section 2.3.1. */
export function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** Size of one piece of inflated data. When zlib finds damage, the piece that it is filling is lost. */
const pieceBytes = 16 * 1024;

/**
 * Inflates a gzip stream, one piece per request of the consumer. Accepts several members, and zeros
 * after the last one (padding of tapes and disks). When the data is truncated or damaged, the pieces
 * that zlib has completed are yielded before the error is thrown.
 */
export async function* gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflater = new Inflater();
  try {
    for await (const chunk of compressed) yield* inflater.push(chunk);
    yield* inflater.end();
  } finally {
    inflater.close();
  }
}

/** Reads the zlib stream by hand: a piped stream drops its inflated data when it fails. */
class Inflater {
  readonly #stream = createGunzip(options);
  #error: Error | null | undefined;
  /** Padding has begun: zlib accepts no more data. */
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor() {
    this.#stream.on('readable', () => this.#wake());
    this.#stream.on('error', (error) => {
      this.#error = error;
      this.#wake();
    });
  }

  async *push(chunk: Buffer): AsyncGenerator<Buffer> {
    const before = this.#stream.bytesWritten;
    if (!this.#isOver) yield* this.#piecesOf((done) => this.#stream.write(chunk, done));
    const rest = chunk.subarray(this.#stream.bytesWritten - before);
    this.#isOver ||= rest.length > 0;
    expectPadding(rest);
  }

  async *end(): AsyncGenerator<Buffer> {
    if (!this.#isOver) yield* this.#piecesOf((done) => this.#stream.once('end', done).end());
  }

  close(): void {
    this.#stream.destroy();
  }

  /** Yields all output of the input that `start` hands to zlib. */
  async *#piecesOf(start: (done: Done) => void): AsyncGenerator<Buffer> {
    const step = { isDone: false };
    start((error) => {
      step.isDone = true;
      this.#error ??= error;
      this.#wake();
    });
    for (;;) {
      for (let piece = this.#read(); piece; piece = this.#read()) yield piece;
      if (this.#error) throw this.#error;
      if (step.isDone) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #read(): Buffer | null {
    return this.#stream.read() as Buffer | null;
  }
}

type Done = (error?: Error | null) => void;

/** zlib pauses while one piece is unread: a few kilobytes can inflate to many megabytes. */
const options: ZlibOptions & TransformOptions = { chunkSize: pieceBytes, readableHighWaterMark: 1 };

/** Data after the padding would never be read: an error is better than a silent loss. */
function expectPadding(rest: Buffer): void {
  if (rest.every((byte) => byte === 0)) return;
  throw Object.assign(new Error('data after the padding'), { code: 'Z_DATA_ERROR' });
}
