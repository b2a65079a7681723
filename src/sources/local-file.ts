import { closeSync, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { reasonOf } from './input.js';
import type { RandomAccess } from './random-access.js';
import { SourceError } from './source-error.js';

const chunkBytes = 256 * 1024;

/**
 * A file of the disk, which is open only while it is read. The size is that of now; a file that is replaced,
 * or changes, ends as an error: what was read before would not fit.
 *
 * @throws the error of the file system if it cannot be opened
 */
export async function openLocalFile(path: string): Promise<RandomAccess> {
  const file = await open(path, 'r');
  try {
    const found = await file.stat({ bigint: true });
    return {
      size: Number(found.size),
      read: (start, end, signal) => readFile(path, versionOf(found), start, end, signal),
    };
  } finally {
    await file.close();
  }
}

function versionOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join(' ');
}

async function* readFile(
  path: string,
  version: string,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  signal?.throwIfAborted();
  if (end - start <= chunkBytes) {
    const chunk = readNow(path, version, start, end);
    if (chunk.length > 0) yield chunk;
    return;
  }
  const file = await opened(path);
  try {
    for (let at = start; at < end;) {
      signal?.throwIfAborted();
      const chunk = await readChunk(file, at, Math.min(chunkBytes, end - at));
      await expectVersion(file, version);
      if (chunk.length === 0) return;
      at += chunk.length;
      yield chunk;
    }
  } finally {
    await file.close();
  }
}

/**
 * Reads a small range, such as a page of Parquet, at once: of four calls in another thread, each would take longer than
 * the reading.
 */
function readNow(path: string, version: string, start: number, end: number): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const chunk = Buffer.allocUnsafeSlow(end - start);
    let length = 0;
    while (length < chunk.length) {
      const count = readSync(file, chunk, length, chunk.length - length, start + length);
      if (count === 0) break;
      length += count;
    }
    throwUnlessVersion(fstatSync(file, { bigint: true }), version);
    return chunk.subarray(0, length);
  } catch (cause) {
    throw cause instanceof SourceError ? cause : unreadable(cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Not from the shared pool: events keep the chunk that they are from in memory. */
async function readChunk(file: FileHandle, position: number, length: number): Promise<Buffer> {
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.allocUnsafeSlow(length),
      0,
      length,
      position,
    );
    return buffer.subarray(0, bytesRead);
  } catch (cause) {
    throw unreadable(cause);
  }
}

async function expectVersion(file: FileHandle, version: string): Promise<void> {
  throwUnlessVersion(await file.stat({ bigint: true }), version);
}

function throwUnlessVersion(found: BigIntStats, version: string): void {
  if (versionOf(found) === version) return;
  throw new SourceError('has changed while it was read', {
    advice: 'run again when nothing writes to it',
  });
}

function unreadable(cause: unknown): SourceError {
  return new SourceError(reasonOf(cause), { advice: 'run again', cause });
}
