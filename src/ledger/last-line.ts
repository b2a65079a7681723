import { Readable } from 'node:stream';
import { UsageError } from '../errors.js';
import { isProblem, type Event, type Problem } from '../events/event.js';
import { isGzipFile, readInput, type Input } from '../input/input.js';
import { lineTooLong } from '../events/rules.js';
import { markLength } from '../input/open-line.js';
import { byteOrderMark } from '../json/byte-order-mark.js';
import { parseLine } from '../events/parse.js';
import { readAt } from '../storage/read-at.js';
import { hashOf } from './retry-row.js';

export interface LinePosition {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export interface LastLine extends LinePosition {
  /** Of what it was read as, to see that the file is still the same; absent where that is not known. */
  readonly hash?: string;
}

/** Where a line stands, with a hash of what it was read as. A line that is too long is not held whole. */
export function lastLineOf(item: Event | Problem): LastLine {
  const { line, offset, length } = item.origin;
  if (isProblem(item) && item.code === lineTooLong) return { line, offset, length };
  return { line, offset, length, hash: hashOf(item.bytes) };
}

/**
 * Looks whether the last line that was taken of a file still stands where it stood. It may have become
 * longer: it was cut short when it was read then. A gzip file has to be inflated for that, so this is done
 * only where it was modified since.
 *
 * @throws UsageError when it does not: what lies behind it cannot be found any more.
 */
export async function checkLastLine(
  input: Input,
  last: LastLine,
  isModified: boolean,
): Promise<void> {
  const isGzip = isGzipFile(input);
  if (isGzip && !isModified) return;
  const start = Math.max(0, last.offset - 1);
  const end = last.offset + (last.hash === undefined ? 0 : last.length + byteOrderMark.length);
  const text = isGzip
    ? await readInflated(input, start, end)
    : readAt(input.name, start, end - start);
  if (isSame(text, last)) return;
  throw new UsageError(
    `${input.name}:${last.line}: the last line that was read has changed since; restore it, or start over with --fresh`,
    'file_changed',
  );
}

const lineFeed = 0x0a;

/** `text` begins with the byte before the line, where there is one. */
function isSame(text: Buffer, { line, offset, length, hash }: LastLine): boolean {
  if (offset > 0 && text[0] !== lineFeed) return false;
  if (hash === undefined) return true;
  const at = offset > 0 ? 1 : markLength(text, true);
  const bytes = text.subarray(at, at + length);
  const origin = { file: '', line, offset, length };
  return bytes.length === length && lastLineOf(parseLine(bytes, origin)).hash === hash;
}

/** What there is from `start` to `end` of the inflated text. */
async function readInflated(input: Input, start: number, end: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let at = 0;
  try {
    for await (const chunk of readInput(input, Readable.from([]), () => undefined)) {
      pieces.push(chunk.subarray(Math.max(0, start - at), Math.max(0, end - at)));
      at += chunk.length;
      if (at >= end) break;
    }
  } catch {
    // It breaks off before that line: what there is of it is too short.
  }
  return Buffer.concat(pieces);
}
