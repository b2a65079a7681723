import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  openSync,
  readFileSync,
  readSync,
  statSync,
  type Stats,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UsageError } from '../errors.js';
import type { Format } from './formats/kinds.js';
import { refuseForeign } from './formats/refuse.js';
import { gunzip, isGzip } from './gunzip.js';
import { throwIfRefused, type Refused } from './refused.js';

/** An event file, or standard input. */
export interface Input {
  /** As the user wrote it; `-` is standard input. */
  readonly name: string;
  /** Bytes on disk; undefined if unknown. */
  readonly size: number | undefined;
  /** Whether it can be read again and from any offset: neither a pipe nor standard input. */
  readonly isFile: boolean;
  /** Standard input that nobody asked for by `-`: without a byte it is an error. */
  readonly isImplied?: true;
}

/** The absolute path of a file. If the name is absolute it is returned itself, to save memory for many thousands. */
export function absolutePath(name: string): string {
  const path = resolve(name);
  return path === name ? name : path;
}

const chunkBytes = 256 * 1024;
const smallBytes = 64 * 1024;

/**
 * Checks every path before the first byte is read.
 *
 * @param placeOf where the path with this index is listed: `list.txt:3`; undefined if it is not from a list
 * @throws UsageError that names a path which is missing, not a file, or not readable, and other such paths.
 */
export async function findInputs(
  paths: readonly string[],
  placeOf: (index: number) => string | undefined = () => undefined,
): Promise<Input[]> {
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('standard input (-) can be read only once; use - once');
  }
  const inputs: Input[] = [];
  const refused: Refused[] = [];
  for (const [index, path] of paths.entries()) {
    // Of thousands of files, looking at each in another thread would take several times as long.
    if (index % pathsPerTurn === 0) await nextTurn();
    try {
      inputs.push(findInput(path, () => placeOf(index)));
    } catch (error) {
      refused.push({ name: path, error: error as UsageError });
    }
  }
  throwIfRefused(refused, 'cannot be read either');
  return inputs;
}

const pathsPerTurn = 1_000;

function findInput(path: string, placeOf: () => string | undefined): Input {
  if (path === '-') return { name: path, size: undefined, isFile: false };
  const where = (): string => {
    const place = placeOf();
    return place === undefined ? path : `${place}: ${path}`;
  };
  const found = look(path, where);
  if (found.isDirectory()) {
    const files = path.endsWith('/') ? `${path}*.ndjson` : `${path}/*.ndjson`;
    throw new UsageError(`${where()}: is a directory; pass the files in it, e.g. ${files}`);
  }
  return { name: path, size: found.isFile() ? found.size : undefined, isFile: found.isFile() };
}

function look(path: string, where: () => string): Stats {
  try {
    const found = statSync(path);
    accessSync(path, constants.R_OK);
    return found;
  } catch (cause) {
    throw new UsageError(`${where()}: ${reasonOf(cause)}`, 'unreadable_file', { cause });
  }
}

/** Whether a file is gzip, by its first bytes; pipes are not read. */
export function isGzipFile({ name, isFile }: Input): boolean {
  if (!isFile) return false;
  const start = Buffer.alloc(2);
  const file = openSync(name, 'r');
  try {
    return isGzip(start.subarray(0, readSync(file, start, 0, 2, 0)));
  } finally {
    closeSync(file);
  }
}

export interface InputOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where to begin, for a plain file. Default: 0. */
  readonly offset?: number;
  /** What the bytes may be beside NDJSON. Default: anything; with a list, others are refused. */
  readonly accepts?: readonly Format[];
}

/**
 * The bytes of an input, inflated if they are gzip; `onRaw` gets the number of bytes read from disk.
 *
 * @throws ForeignFormatError before the first bytes, with `accepts`
 */
export async function* readInput(
  input: Input,
  stdin: Readable,
  onRaw: (bytes: number) => void,
  { signal, offset = 0, accepts }: InputOptions = {},
): AsyncGenerator<Buffer> {
  const raw = counted(rawBytes(input, stdin, offset, signal), onRaw);
  if (offset > 0) {
    yield* raw;
    return;
  }
  const first = await firstBytes(raw);
  if (input.isImplied && first.length === 0) throw emptyStdin();
  const whole = prepend(first, raw);
  const text = isGzip(first) ? gunzip(whole) : whole;
  const { name } = input;
  yield* accepts ? refuseForeign(text, { name, isGzip: isGzip(first), accepts }) : text;
}

function emptyStdin(): UsageError {
  return new UsageError(
    'standard input is empty; pass event files, or pipe events to it',
    'no_input',
  );
}

function rawBytes(
  input: Input,
  stdin: Readable,
  offset: number,
  signal: AbortSignal | undefined,
): AsyncIterable<Buffer | string> {
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
  onRaw: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    onRaw(bytes.length);
    yield bytes;
  }
}

/** Enough bytes to detect gzip, if there are as many; a pipe may begin with a single byte. */
async function firstBytes(source: AsyncGenerator<Buffer>): Promise<Buffer> {
  let first: Buffer = Buffer.alloc(0);
  while (first.length < 2) {
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

/** A sentence for the errors that a path can cause. */
export function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'no such file; check the path';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'is a directory, not a file';
  if (code === 'Z_BUF_ERROR') return 'the gzip data is truncated';
  if (code === 'Z_JUNK_ERROR') return 'other data follows the gzip data';
  if (code?.startsWith('Z_')) return 'the gzip data is damaged';
  return code ? `cannot be read (${code})` : 'cannot be read';
}
