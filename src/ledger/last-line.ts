import { Readable } from 'node:stream';
import { UsageError } from '../errors.js';
import { isProblem, sourceText, type Item } from '../events/event.js';
import { isPlainFile, type Input } from '../sources/input.js';
import { readInput } from '../sources/read-input.js';
import { lineTooLong } from '../events/rules.js';
import { markLength } from '../sources/open-line.js';
import { byteOrderMark } from '../json/byte-order-mark.js';
import { readAt } from '../storage/read-at.js';
import { eventItems, type ItemKind } from './item-kind.js';
import { hashOf } from './retry-row.js';

export interface LinePosition {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export interface LastLine extends LinePosition {
  /** Hash of its content, to check that the file is still the same; absent if unknown. */
  readonly hash?: string;
}

/** The position of a line, with a hash of its content unless it is too long to be held in memory. */
export function lastLineOf(item: Item): LastLine {
  const { line, offset, length } = item.origin;
  if (isProblem(item) && item.code === lineTooLong) return { line, offset, length };
  return { line, offset, length, hash: hashOf(sourceText(item)) };
}

/**
 * Checks that the last line read of a file is still at its offset. More bytes may follow: the line was
 * still being written when it was read. One that is not plain has to be read from its
 * start for this, so it is checked only if it was modified since.
 *
 * @throws UsageError when it is not: then the start of the following lines is unknown.
 */
export async function checkLastLine(
  input: Input,
  last: LastLine,
  isModified: boolean,
  items: ItemKind = eventItems,
): Promise<void> {
  const canReadAt = isPlainFile(input);
  if (!canReadAt && !isModified) return;
  const start = Math.max(0, last.offset - 1);
  const end = last.offset + (last.hash === undefined ? 0 : last.length + byteOrderMark.length);
  const text = canReadAt
    ? readAt(input.name, start, end - start)
    : await readText(input, start, end);
  if (isSame(text, last, items)) return;
  throw new UsageError(
    `${input.name}:${last.line}: the last line that was read has changed since; restore it, or start over with --fresh`,
    'file_changed',
  );
}

const lineFeed = 0x0a;

/** `text` begins with the byte before the line, if there is one. */
function isSame(text: Buffer, { line, offset, length, hash }: LastLine, items: ItemKind): boolean {
  if (offset > 0 && text[0] !== lineFeed) return false;
  if (hash === undefined) return true;
  const at = offset > 0 ? 1 : markLength(text, true);
  const bytes = text.subarray(at, at + length);
  const origin = { file: '', line, offset, length };
  return bytes.length === length && lastLineOf(items.parseLine(bytes, origin)).hash === hash;
}

/** The text from `start` to `end`, or less if the file ends before. */
async function readText(input: Input, start: number, end: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let at = 0;
  try {
    for await (const chunk of readInput(input, Readable.from([]), () => undefined, {
      accepts: [],
    })) {
      pieces.push(chunk.subarray(Math.max(0, start - at), Math.max(0, end - at)));
      at += chunk.length;
      if (at >= end) break;
    }
  } catch {
    // The file is truncated before the end of that line: the text is too short.
  }
  return Buffer.concat(pieces);
}
