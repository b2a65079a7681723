import type { TransformOptions } from 'node:stream';
import { createGunzip, type ZlibOptions } from 'node:zlib';

/** Told by the first bytes, not by the name; RFC 1952 section 2.3.1. */
export function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** One piece of inflated data. What zlib has of the next piece when it finds damage is lost with it. */
const pieceBytes = 16 * 1024;

/**
 * Inflates a gzip stream, piece by piece as they are asked for: several members, and zeros behind the
 * last one (padding of tapes and disks). When the data breaks off or is damaged, the pieces that zlib
 * had completed by then are yielded before the error is thrown.
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

/** A stream that is piped drops what it had inflated when it fails; one that is read by hand does not. */
class Inflater {
  readonly #stream = createGunzip(options);
  #error: Error | null | undefined;
  /** Padding has begun: zlib takes nothing more. */
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

  /** All that comes of what `start` hands to zlib. */
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

/** With one piece to be read, zlib waits: a few kilobytes can become many megabytes. */
const options: ZlibOptions & TransformOptions = { chunkSize: pieceBytes, readableHighWaterMark: 1 };

/** What stands behind the padding would never be read: an error, not a loss. */
function expectPadding(rest: Buffer): void {
  if (rest.every((byte) => byte === 0)) return;
  throw Object.assign(new Error('data behind the padding'), { code: 'Z_DATA_ERROR' });
}
