import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
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
import { withoutQuery } from '../http/url.js';
import type { Format } from './formats/kinds.js';
import type { GivenFormat } from './formats/decode.js';
import { asLines } from './formats/refuse.js';
import { gunzip, isGzip } from './gunzip.js';
import { isZstd } from './formats/binary.js';
import type { RandomAccess } from './random-access.js';
import { throwIfRefused, type Refused } from './refused.js';
import { SourceError } from './source-error.js';

/** An event file, or standard input. */
export interface Input {
  /** As the user wrote it; `-` is standard input. */
  readonly name: string;
  /** Bytes on disk; undefined if unknown. */
  readonly size: number | undefined;
  /** Whether it can be read again: neither a pipe nor standard input. */
  readonly isFile: boolean;
  /** Standard input that nobody asked for by `-`: without a byte it is an error. */
  readonly isImplied?: true;
  /** Where its bytes are, if not in the file `name`. */
  readonly object?: StoredObject;
  /** How its text is stored; known when its beginning was read. */
  readonly layout?: Layout;
  /** What the user says of its format. */
  readonly given?: GivenFormat;
}

/** Bytes that are no file of their own: an entry of an archive, what is behind a URL. */
export interface StoredObject {
  /** What it is known by from one run to the next: a path or a URL without its query. */
  readonly id: string;
  /** The path of the archive that it is in, if that is a file. */
  readonly archive?: string;
  /** Another one means other content. */
  readonly version: string;
  /** All its bytes, in order. */
  read(signal?: AbortSignal): AsyncIterable<Buffer>;
  /** Its bytes at any offset; undefined where only `read` gives them. */
  readonly access?: RandomAccess;
}

/**
 * `plain`: NDJSON as it is, of which any line can be read alone; `text`: compressed, or in another format, and read from its
 * start; `rows`: Parquet, whose lines are rows.
 */
export type Layout = 'plain' | 'text' | 'rows';

/** Whether any line of it can be read alone. */
export function isPlain(input: Input): boolean {
  // An entry of an archive can only be read from its start.
  if (input.object && !input.object.access) return false;
  if (input.layout) return input.layout === 'plain';
  return input.isFile && !input.object && !isCompressed(beginningOf(input.name));
}

/** Whether any line can be read again by its path, in any thread. */
export function isPlainFile(input: Input): boolean {
  return !input.object && isPlain(input);
}

/** What it is known by from one run to the next. */
export function idOf({ name, object }: Input): string {
  return object ? object.id : absolutePath(name);
}

/** The absolute path of a file. If the name is absolute it is returned itself, to save memory for many thousands. */
export function absolutePath(name: string): string {
  const path = resolve(name);
  return path === name ? name : path;
}

const chunkBytes = 256 * 1024;
const smallBytes = 64 * 1024;

/** Opens what a URL names; several for a prefix or a pattern of S3. */
export type OpenUrl = (url: string) => Promise<readonly Input[]>;

export interface FindOptions {
  /** Where the path with this index is listed: `list.txt:3`; undefined if it is not from a list. */
  readonly placeOf?: (index: number) => string | undefined;
  /** What the user says of their format. */
  readonly given?: GivenFormat | undefined;
  /** Whether a directory and a pattern stand for the files that they name. Default true. */
  readonly expands?: boolean;
  /** Default: URLs are refused. */
  readonly openUrl?: OpenUrl | undefined;
}

/**
 * Finds what paths, directories, patterns and URLs name, before the first byte is read.
 *
 * @throws UsageError that names a path which is missing, not a file, or not readable, and other such paths.
 */
export async function findInputs(
  paths: readonly string[],
  options: FindOptions = {},
): Promise<Input[]> {
  const { placeOf = () => undefined, given } = options;
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('standard input (-) can be read only once; use - once');
  }
  const inputs: Input[] = [];
  const refused: Refused[] = [];
  for (const [index, path] of paths.entries()) {
    // Of thousands of files, looking at each in another thread would take several times as long.
    if (index % pathsPerTurn === 0) await nextTurn();
    try {
      const found = findInput(path, () => placeOf(index)) ?? (await findSeveral(path, options));
      for (const input of found) inputs.push(given ? { ...input, given } : input);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refused.push({ name: path, error });
    }
  }
  throwIfRefused(refused, 'cannot be read either');
  return inputs;
}

const pathsPerTurn = 1_000;

/** Undefined for a directory, a pattern or a URL. */
function findInput(path: string, placeOf: () => string | undefined): Input[] | undefined {
  if (path === '-') return [{ name: path, size: undefined, isFile: false }];
  if (urlForm.test(path)) return undefined;
  const where = (): string => {
    const place = placeOf();
    return place === undefined ? path : `${place}: ${path}`;
  };
  if (patternForm.test(path) && !existsSync(path)) return undefined;
  const found = look(path, where);
  if (found.isDirectory()) return undefined;
  return [{ name: path, size: found.isFile() ? found.size : undefined, isFile: found.isFile() }];
}

const urlForm = /^(?:https?|s3):\/\//i;
/** As in a pattern of S3. */
const patternForm = /[*?[{]/;

async function findSeveral(
  path: string,
  { openUrl, expands = true }: FindOptions,
): Promise<readonly Input[]> {
  if (urlForm.test(path)) {
    if (openUrl) return openUrl(path);
    throw new UsageError(`${withoutQuery(path)}: is a URL; pass a file`, 'unreadable_file');
  }
  if (!expands) {
    const what = existsSync(path)
      ? 'is a directory; pass the files in it'
      : 'no such file; check the path';
    throw new UsageError(`${path}: ${what}`, 'unreadable_file');
  }
  const files = await filesOf(path);
  if (files.length === 0)
    throw new UsageError(`${path}: no files found; check the path`, 'no_input');
  return files.map((name) => findInput(name, () => undefined)?.[0] ?? neverFound(name));
}

async function filesOf(path: string): Promise<string[]> {
  const { filesBelow, filesLike } = await import('./walk.js');
  try {
    const matching = existsSync(path) ? undefined : await filesLike(path);
    return matching ?? (await filesBelow(path.endsWith('/') ? path : `${path}/`));
  } catch (cause) {
    throw new UsageError(`${path}: ${reasonOf(cause)}`, 'unreadable_file', { cause });
  }
}

function neverFound(name: string): never {
  throw new UsageError(`${name}: has changed while it was looked at; try again`, 'unreadable_file');
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

function beginningOf(path: string): Buffer {
  const start = Buffer.alloc(magicBytes);
  const file = openSync(path, 'r');
  try {
    return start.subarray(0, readSync(file, start, 0, magicBytes, 0));
  } finally {
    closeSync(file);
  }
}

/** Enough to detect gzip and zstd. */
const magicBytes = 4;

function isCompressed(start: Buffer): boolean {
  return isGzip(start) || isZstd(start);
}

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
    access: isPacked ? undefined : accessOf(input),
    onFormat: (format) => onLayout?.(layoutOf(format, isPacked)),
  });
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

/** Undefined for what can only be read from its start. */
export function accessOf({
  name,
  isFile,
  object,
}: Input): (() => Promise<RandomAccess>) | undefined {
  if (!isFile) return undefined;
  if (!object) return async () => (await import('./local-file.js')).openLocalFile(name);
  const { access } = object;
  return access && (() => Promise.resolve(access));
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

/** A sentence for the errors that a path can cause. */
export function reasonOf(error: unknown): string {
  if (error instanceof SourceError) return error.message;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'no such file; check the path';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'is a directory, not a file';
  if (code === 'Z_BUF_ERROR') return 'the gzip data is truncated';
  if (code === 'Z_JUNK_ERROR') return 'other data follows the gzip data';
  if (code?.startsWith('Z_')) return 'the gzip data is damaged';
  return code ? `cannot be read (${code})` : 'cannot be read';
}
