import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import type { Entry } from 'yauzl';
import { UsageError } from '../errors.js';
import { readAll, type RandomAccess } from './random-access.js';
import { SourceError } from './source-error.js';
import { boundsOf, damagedArchive, type ZipBounds } from './zip-ends.js';

/** A file in a zip archive. */
export interface ZipEntry {
  /** As it is in the archive: it may be absolute or have `..`; nothing is ever written there. */
  readonly name: string;
  /** Inflated, in bytes. */
  readonly size: number;
  readonly compressedSize: number;
  readonly crc32: number;
  /** Of its local header, from the start of the file. */
  readonly offset: number;
  /** How it is compressed, by the number of the format: 0 is stored, 8 is deflate. */
  readonly method: number;
}

/** The list of files is held in memory. */
const maxEntries = 1_000_000;

/**
 * The files of an archive, in the order of its directory.
 *
 * @throws UsageError if one of them is encrypted
 * @throws SourceError if the archive is truncated or damaged, or other data follows it
 */
export async function listZip(source: RandomAccess, signal?: AbortSignal): Promise<ZipEntry[]> {
  const { getFileNameLowLevel } = await import('yauzl');
  const bounds = await boundsOf(source, signal);
  const entries: ZipEntry[] = [];
  for await (const entry of directoryOf(source, bounds, signal)) {
    const { generalPurposeBitFlag: flags, extraFields } = entry;
    const name = getFileNameLowLevel(flags, entry.fileNameRaw, extraFields, true);
    if (name.endsWith('/')) continue;
    if (entry.isEncrypted()) throw encrypted(name);
    const offset = bounds.start + entry.relativeOffsetOfLocalHeader;
    if (offset + entry.compressedSize > bounds.end) throw damagedArchive();
    if (entries.length >= maxEntries) throw tooMany();
    entries.push({
      name,
      size: entry.uncompressedSize,
      compressedSize: entry.compressedSize,
      crc32: entry.crc32,
      offset,
      method: entry.compressionMethod,
    });
  }
  return entries;
}

async function* directoryOf(
  source: RandomAccess,
  bounds: ZipBounds,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry> {
  const reader = await readerOf(source, bounds, signal);
  try {
    const { fromRandomAccessReaderPromise } = await import('yauzl');
    // Decoded names would be checked as paths to write to.
    const options = { autoClose: false, decodeStrings: false };
    const size = bounds.end - bounds.start;
    const archive = await fromRandomAccessReaderPromise(reader.reader, size, options);
    for await (const entry of archive.eachEntry()) yield entry;
  } catch (cause) {
    signal?.throwIfAborted();
    if (reader.failure) throw reader.failure.cause;
    if (String(cause).includes('strong encryption')) throw encrypted();
    throw damagedArchive(cause);
  }
}

const blockBytes = 64 * 1024;

/** yauzl asks for each entry twice, for a few bytes: behind a URL, each would be a request. */
async function readerOf(
  source: RandomAccess,
  { start, end }: ZipBounds,
  signal: AbortSignal | undefined,
) {
  const { RandomAccessReader } = await import('yauzl');
  let block: { readonly start: number; readonly bytes: Buffer } = {
    start: 0,
    bytes: Buffer.alloc(0),
  };
  const state: { failure?: { readonly cause: unknown } } = {};

  const bytesAt = async (from: number, length: number): Promise<Buffer> => {
    const isHeld = from >= block.start && from + length <= block.start + block.bytes.length;
    if (!isHeld) {
      const until = Math.min(from + Math.max(length, blockBytes), end);
      block = { start: from, bytes: await readAll(source, from, until, signal) };
    }
    const at = from - block.start;
    return block.bytes.subarray(at, at + length);
  };

  class Reader extends RandomAccessReader {
    override read(
      buffer: Buffer,
      offset: number,
      length: number,
      position: number,
      done: (error: Error | null, bytesRead?: number) => void,
    ): void {
      bytesAt(start + position, length).then(
        (bytes) => done(null, bytes.copy(buffer, offset)),
        (cause: unknown) => {
          state.failure = { cause };
          done(cause as Error);
        },
      );
    }
  }
  return Object.assign(state, { reader: new Reader() });
}

const localHeaderBytes = 30;
const localHeader = 0x04034b50;

/**
 * The bytes of a file, which are inflated in pieces of at most 64 KB. Its size and checksum are known to be
 * right only when it has ended.
 *
 * @throws SourceError
 */
export async function* readZipEntry(
  source: RandomAccess,
  entry: ZipEntry,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const start = await dataOf(source, entry, signal);
  const packed = source.read(start, start + entry.compressedSize, signal);
  let size = 0;
  let crc = 0;
  for await (const piece of unpacked(packed, entry, signal)) {
    size += piece.length;
    if (size > entry.size) throw damaged();
    crc = crc32(piece, crc);
    yield piece;
  }
  if (size !== entry.size || crc !== entry.crc32) throw damaged();
}

/** Where the data begins: the local header may have other extra fields than the directory. */
async function dataOf(
  source: RandomAccess,
  { offset }: ZipEntry,
  signal: AbortSignal | undefined,
): Promise<number> {
  const header = await readAll(source, offset, offset + localHeaderBytes, signal);
  if (header.length < localHeaderBytes || header.readUInt32LE(0) !== localHeader) throw damaged();
  return offset + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
}

function unpacked(
  packed: AsyncIterable<Buffer>,
  { method }: ZipEntry,
  signal: AbortSignal | undefined,
): AsyncIterable<Buffer> {
  if (method === methods.stored) return packed;
  if (method === methods.deflate) return inflated(packed, signal);
  const name = methodNames.get(method) ?? `method ${method}`;
  throw new SourceError(`the zip entry is compressed with ${name}, which cannot be read`, {
    advice: 'unpack the archive, and pass the files',
  });
}

async function* inflated(
  packed: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const state: { failure?: { readonly cause: unknown } } = {};
  const inflate = createInflateRaw({ chunkSize: blockBytes });
  const running = pipeline(Readable.from(noting(packed, state), { objectMode: true }), inflate);
  running.catch(() => undefined);
  try {
    for await (const piece of inflate) yield piece as Buffer;
  } catch (cause) {
    signal?.throwIfAborted();
    throw state.failure ? state.failure.cause : damaged(cause);
  } finally {
    inflate.destroy();
    await running.catch(() => undefined);
  }
}

/** What failed in the source is no damage of the entry. */
async function* noting(
  packed: AsyncIterable<Buffer>,
  state: { failure?: { readonly cause: unknown } },
): AsyncGenerator<Buffer> {
  try {
    yield* packed;
  } catch (cause) {
    state.failure = { cause };
    throw cause;
  }
}

const methods = { stored: 0, deflate: 8 };

/** APPNOTE.TXT section 4.4.5, those that are seen. */
const methodNames = new Map([
  [1, 'shrink'],
  [6, 'implode'],
  [9, 'deflate64'],
  [12, 'bzip2'],
  [14, 'LZMA'],
  [93, 'zstd'],
  [95, 'xz'],
  [98, 'PPMd'],
]);

function damaged(cause?: unknown): SourceError {
  return new SourceError('the zip entry is damaged', { advice: 'fetch the archive again', cause });
}

function encrypted(name = 'an entry'): UsageError {
  const advice = 'unpack the archive with its password, and pass the files';
  return new UsageError(`${name} in the zip archive is encrypted; ${advice}`, 'encrypted_zip');
}

function tooMany(): UsageError {
  const limit = maxEntries.toLocaleString('en-US');
  return new UsageError(
    `the zip archive has more than ${limit} files; unpack it, and pass the directory`,
    'too_many_zip_entries',
  );
}
