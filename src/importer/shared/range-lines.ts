import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { readInput } from '../../sources/read-input.js';
import { LineCounter } from '../../sources/line-counter.js';
import type { RangeItem } from './item.js';
import type { PlannedFile } from './plan.js';

const newline = 0x0a;

/**
 * How many lines that are not blank belong to a range: those whose first byte is in it.
 * @throws what reading throws, also when the file is no valid gzip any more
 */
export async function linesOfRange(
  { path, size }: PlannedFile,
  { from, to }: Pick<RangeItem, 'from' | 'to'>,
  signal: AbortSignal,
): Promise<number> {
  const input = { name: path, size, isFile: true };
  const bytes =
    to === null
      ? readInput(input, Readable.from([]), () => undefined, { signal })
      : ownBytes(path, from, to, signal);
  const counter = new LineCounter();
  for await (const chunk of bytes) counter.push(chunk);
  counter.end();
  return counter.lines;
}

/** From the first line that begins in the range to the end of the range. */
async function* ownBytes(
  path: string,
  from: number,
  to: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  // The byte before tells whether a line begins at the first one.
  const stream = createReadStream(path, { start: Math.max(0, from - 1), end: to - 1, signal });
  let isOwn = from === 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (isOwn) {
      yield chunk;
      continue;
    }
    const end = chunk.indexOf(newline);
    if (end === -1) continue;
    isOwn = true;
    yield chunk.subarray(end + 1);
  }
}
