import type { TransformOptions } from 'node:stream';
import {
  crc32,
  createInflateRaw,
  inflateRawSync,
  type InflateRaw,
  type ZlibOptions,
} from 'node:zlib';
import { ByteReader } from './byte-reader.js';

/** Detected by the first bytes, not by the name; RFC 1952 section 2.3.1. */
export function isGzip(start: Buffer): boolean {
  return start[0] === magic[0] && start[1] === magic[1];
}

const magic = [0x1f, 0x8b] as const;

/** Size of one piece of inflated data. When zlib finds damage, the piece that it is filling is lost. */
const pieceBytes = 16 * 1024;

/**
 * Inflates a gzip stream, one piece per request of the consumer. Accepts several members, and zeros
 * after the last one (padding of tapes and disks). Before the error of other data behind a member, or of a
 * wrong checksum, the whole member is yielded; of data that is truncated or damaged in the middle, the
 * pieces that zlib has completed.
 */
export async function* gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = new ByteReader(compressed, truncated);
  let areSmall = true;
  try {
    while (await beginsMember(input)) {
      await skipHeader(input);
      areSmall = (yield* checked(textOfMember(input, areSmall), input)) <= smallBytes;
    }
  } finally {
    await input.close();
  }
}

/** Whether one more member follows. zlib's own reader would lose the end of a member with junk behind it. */
async function beginsMember(input: ByteReader): Promise<boolean> {
  const first = await input.peek();
  if (first === undefined) return false;
  if (first === 0) return expectPadding(input);
  for (const expected of magic) if ((await input.take(1))[0] !== expected) throw junk();
  return true;
}

/** Data after the padding would never be read: an error is better than a silent loss. */
async function expectPadding(input: ByteReader): Promise<false> {
  for (let chunk = await input.next(); chunk; chunk = await input.next())
    if (chunk.some((byte) => byte !== 0)) throw junk();
  return false;
}

/** RFC 1952 section 2.3; the two bytes of magic are read already. */
async function skipHeader(input: ByteReader): Promise<void> {
  const [method, flags = 0] = await input.take(8);
  if (method !== deflate || (flags & reservedFlags) !== 0) throw damaged();
  if (flags & hasExtra) await input.skip((await input.take(2)).readUInt16LE());
  for (const hasText of [hasName, hasComment]) if (flags & hasText) await input.skipPast(0);
  if (flags & hasHeaderCrc) await input.skip(2);
}

const deflate = 8;
const [hasHeaderCrc, hasExtra, hasName, hasComment, reservedFlags] = [0x02, 0x04, 0x08, 0x10, 0xe0];

/**
 * Members up to this size are inflated at once: a file may have one for each line, and a zlib stream for each
 * would take several times as long.
 */
const smallBytes = 64 * 1024;

/** The text of a small member that is in memory to its end; undefined for any other, of which nothing is read. */
function inflateSmall(input: ByteReader): Buffer | undefined {
  try {
    const inflated: unknown = inflateRawSync(input.buffered, smallOptions);
    const { buffer, engine } = inflated as { buffer: Buffer; engine: InflateRaw };
    input.unread(input.buffered.subarray(engine.bytesWritten));
    return buffer;
  } catch {
    return undefined;
  }
}

const smallOptions: ZlibOptions = {
  info: true,
  chunkSize: pieceBytes,
  maxOutputLength: smallBytes,
};

function* piecesOf(text: Buffer): Generator<Buffer> {
  for (let at = 0; at < text.length; at += pieceBytes) yield text.subarray(at, at + pieceBytes);
}

/** `isSmall`: whether the member is probably a small one. */
function textOfMember(
  input: ByteReader,
  isSmall: boolean,
): Iterable<Buffer> | AsyncIterable<Buffer> {
  const small = isSmall ? inflateSmall(input) : undefined;
  return small ? piecesOf(small) : new Inflater().inflate(input);
}

/** Passes the text of a member on, checks it at the end, and returns its length. */
async function* checked(
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  input: ByteReader,
): AsyncGenerator<Buffer, number> {
  let crc = 0;
  let length = 0;
  for await (const piece of pieces) {
    crc = crc32(piece, crc);
    length += piece.length;
    yield piece;
  }
  const trailer = await input.take(8);
  const isWhole = trailer.readUInt32LE(0) === crc && trailer.readUInt32LE(4) === length % 2 ** 32;
  if (!isWhole) throw damaged();
  return length;
}

/** Reads the zlib stream by hand: a piped stream drops its inflated data when it fails. */
class Inflater {
  readonly #stream: InflateRaw = createInflateRaw(options);
  #error: Error | null | undefined;
  #wake: () => void = () => undefined;

  constructor() {
    this.#stream.on('readable', () => this.#wake());
    this.#stream.on('error', (error) => {
      this.#error = error;
      this.#wake();
    });
  }

  /** Inflates up to the end of the compressed data, and leaves what is behind it to be read. */
  async *inflate(input: ByteReader): AsyncGenerator<Buffer> {
    try {
      for (let chunk = await input.next(); chunk; chunk = await input.next()) {
        const before = this.#stream.bytesWritten;
        const bytes = chunk;
        yield* this.#piecesOf((done) => this.#stream.write(bytes, done));
        const rest = bytes.subarray(this.#stream.bytesWritten - before);
        if (rest.length === 0) continue;
        input.unread(rest);
        return;
      }
      yield* this.#piecesOf((done) => this.#stream.once('end', done).end());
    } finally {
      this.#stream.destroy();
    }
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

/** With the codes of zlib, where it has one. */
function junk(): Error {
  return Object.assign(new Error('other data behind a member'), { code: 'Z_JUNK_ERROR' });
}

function damaged(): Error {
  return Object.assign(new Error('damaged'), { code: 'Z_DATA_ERROR' });
}

function truncated(): Error {
  return Object.assign(new Error('unexpected end'), { code: 'Z_BUF_ERROR' });
}
