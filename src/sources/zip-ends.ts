import { readAll, type RandomAccess } from './random-access.js';
import { SourceError } from './source-error.js';

/** Where an archive lies in a file: what is before it is the program of a self-extracting archive. */
export interface ZipBounds {
  readonly start: number;
  readonly end: number;
}

const endRecordBytes = 22;
const endRecord = 0x06054b50;
const locatorBytes = 20;
const locator = 0x07064b50;
const zip64RecordBytes = 56;
const zip64Record = 0x06064b50;
const maxCommentBytes = 0xffff;

/**
 * Finds an archive by the record at its end. Its offsets count from its own start, which need not be the start of
 * the file. Zeros behind it are padding; other data would never be read, so it is an error.
 *
 * APPNOTE.TXT sections 4.3.14 to 4.3.16.
 */
export async function boundsOf(source: RandomAccess, signal?: AbortSignal): Promise<ZipBounds> {
  const tailStart = Math.max(
    0,
    source.size - maxCommentBytes - endRecordBytes - locatorBytes - zip64RecordBytes,
  );
  const tail = await readAll(source, tailStart, source.size, signal);
  const at = findEndRecord(tail);
  const start = startOf(tail, at, tailStart);
  if (start < 0) throw damagedArchive();
  return { start, end: tailStart + endOf(tail, at) };
}

/** The last record whose comment reaches the end of the file, apart from padding. */
function findEndRecord(tail: Buffer): number {
  const last = lastNonZero(tail);
  let junkAfter = false;
  for (let at = tail.length - endRecordBytes; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== endRecord) continue;
    const end = endOf(tail, at);
    if (end > tail.length) continue;
    if (end > last) return at;
    junkAfter = true;
  }
  throw junkAfter ? junk() : truncated();
}

function endOf(tail: Buffer, at: number): number {
  return at + endRecordBytes + tail.readUInt16LE(at + 20);
}

function lastNonZero(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at >= 0 && bytes[at] === 0) at--;
  return at;
}

/** The directory ends where the record begins; that it is not where it says shows what is before the archive. */
function startOf(tail: Buffer, at: number, tailStart: number): number {
  const zip64 = at - locatorBytes - zip64RecordBytes;
  const isZip64 = at >= locatorBytes && tail.readUInt32LE(at - locatorBytes) === locator;
  if (!isZip64) {
    const [size, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    return tailStart + at - size - offset;
  }
  // A record with an extension is longer; then only an archive without data before it can be read.
  if (zip64 < 0 || tail.readUInt32LE(zip64) !== zip64Record) return 0;
  return tailStart + zip64 - Number(tail.readBigUInt64LE(at - locatorBytes + 8));
}

export function damagedArchive(cause?: unknown): SourceError {
  return new SourceError('the zip archive is damaged', { advice: 'fetch it again', cause });
}

function truncated(): SourceError {
  const reason = 'the zip archive is truncated: the directory at its end is missing';
  return new SourceError(reason, { advice: 'fetch it again' });
}

function junk(): SourceError {
  return new SourceError('other data follows the zip archive', {
    advice: 'if that data holds events, copy it to a file of its own',
  });
}
