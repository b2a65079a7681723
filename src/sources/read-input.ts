import { createReadStream, readFileSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UsageError } from '../errors.js';
import type { Format } from './formats/kinds.js';
import { asLines } from './formats/refuse.js';
import { gunzip, isGzip } from './gunzip.js';
import { isZstd } from './formats/binary.js';
import { withSignal, type RandomAccess } from './random-access.js';
import { accessOf, isCompressed, magicBytes, type Input, type Layout } from './input.js';

const chunkBytes = 256 * 1024;
const smallBytes = 64 * 1024;

export interface InputOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where to begin, for a plain file. Default: 0. */
  readonly offset?: number;
  /** What the bytes may be beside NDJSON, to be read as they are. Default: anything. */
  readonly accepts?: readonly Format[];
  /** With `accepts`: whether other known formats are read as NDJSON, not refused. Default true. */
  readonly decodes?: boolean | undefined;
  /** Stored bytes are taken in pieces of this size, which `onRaw` gets. Default: as they are read. */
  readonly pieceBytes?: number;
  /** Called before the first bytes, with `accepts`. */
  readonly onLayout?: (layout: Layout) => void;
}

/**
 * The text of an input: uncompressed, and with `accepts` as NDJSON. `onRaw` gets the number of bytes that are read.
 *
 * @throws ForeignFormatError before the first bytes, with `accepts`
 */
export async function* readInput(
  input: Input,
  stdin: Readable,
  onRaw: (bytes: number) => void,
  {
    signal,
    offset = 0,
    accepts,
    decodes = true,
    pieceBytes = Infinity,
    onLayout,
  }: InputOptions = {},
): AsyncGenerator<Buffer> {
  const raw = counted(rawBytes(input, stdin, offset, signal), pieceBytes, onRaw);
  if (offset > 0) {
    yield* raw;
    return;
  }
  const first = await firstBytes(raw);
  if (input.isImplied && first.length === 0) throw emptyStdin();
  const isPacked = isCompressed(first);
  const text = uncompressed(first, prepend(first, raw));
  if (!accepts) {
    yield* text;
    return;
  }
  yield* asLines(text, {
    ...{ ...input.given, name: input.name, isCompressed: isPacked, accepts, decodes },
    ...{ access: isPacked ? undefined : accessUntil(input, signal), rows: input.rows },
    onFormat: (format) => onLayout?.(layoutOf(format, isPacked)),
  });
}

function accessUntil(
  input: Input,
  signal: AbortSignal | undefined,
): (() => Promise<RandomAccess>) | undefined {
  const open = accessOf(input);
  return open && (async () => withSignal(await open(), signal));
}

async function* uncompressed(first: Buffer, whole: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (isGzip(first)) yield* gunzip(whole);
  else if (isZstd(first)) yield* (await import('./formats/unzstd.js')).unzstd(whole);
  else yield* whole;
}

function layoutOf(format: Format | undefined, isPacked: boolean): Layout {
  if (format === 'parquet') return 'rows';
  return format === undefined && !isPacked ? 'plain' : 'text';
}

function emptyStdin(): UsageError {
  return new UsageError('standard input is empty; pass files, or pipe lines to it', 'no_input');
}

function rawBytes(
  input: Input,
  stdin: Readable,
  offset: number,
  signal: AbortSignal | undefined,
): AsyncIterable<Buffer | string> {
  const { object } = input;
  if (object)
    return offset > 0
      ? object.access!.read(offset, object.access!.size, signal)
      : object.read(signal);
  if (input.isFile) {
    const isSmall = (input.size ?? Infinity) <= smallBytes;
    return (isSmall ? readSmallFile : readFile)(input.name, offset, signal);
  }
  const stream = input.name === '-' ? stdin : createReadStream(input.name);
  return signal ? addAbortSignal(signal, stream) : stream;
}

/** Reading a small file here is faster than in another thread. It may have grown since it was checked. */
async function* readSmallFile(
  path: string,
  offset: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  // There may be thousands of files, and nothing else here yields: signals and responses need a turn.
  await nextTurn();
  signal?.throwIfAborted();
  if (statSync(path).size > smallBytes) {
    yield* readFile(path, offset, signal);
    return;
  }
  const bytes = readFileSync(path);
  if (bytes.length > offset) yield bytes.subarray(offset);
}

/**
 * A file from `position` to its end at that time. A stream would cost more than the reading itself. The
 * next chunk is read while the consumer works on this one.
 */
async function* readFile(
  path: string,
  position: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const file = await open(path);
  let next = readChunk(file, position);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const chunk = await next;
      if (chunk.length === 0) return;
      position += chunk.length;
      next = readChunk(file, position);
      yield chunk;
    }
  } finally {
    await next.catch(() => undefined);
    await file.close();
  }
}

/** Not from the shared pool: events keep the chunk that they are from in memory. */
async function readChunk(file: FileHandle, position: number): Promise<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
  return chunk.subarray(0, bytesRead);
}

async function* counted(
  source: AsyncIterable<Buffer | string>,
  pieceBytes: number,
  onRaw: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.length <= pieceBytes ? bytes : bytes.subarray(at, at + pieceBytes);
      onRaw(piece.length);
      yield piece;
    }
  }
}

/** Enough bytes to detect a compression, if there are as many; a pipe may begin with a single byte. */
async function firstBytes(source: AsyncGenerator<Buffer>): Promise<Buffer> {
  let first: Buffer = Buffer.alloc(0);
  while (first.length < magicBytes) {
    const next = await source.next();
    if (next.done) break;
    first = first.length === 0 ? next.value : Buffer.concat([first, next.value]);
  }
  return first;
}

async function* prepend(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    yield* rest;
  } finally {
    // A consumer that stops after the first bytes must not leave the stream open.
    await rest.return(undefined);
  }
}
