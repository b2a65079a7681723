import type { Input } from '../../sources/input.js';
import { LineCounter } from '../../sources/line-counter.js';
import { readPart } from '../../sources/part.js';
import type { RangeItem } from './item.js';
import type { PlannedFile } from './plan.js';
import { partOfPlanned } from './planned-input.js';

/**
 * How many lines that are not blank belong to a part of a file: those whose first byte is in it.
 *
 * @param found the planned file as it is now
 * @throws what reading throws, also when the file is no valid gzip any more
 */
export async function linesOfPart(
  planned: PlannedFile,
  part: Pick<RangeItem, 'from' | 'to'>,
  found: Input,
  signal: AbortSignal,
): Promise<number> {
  const input = await partOfPlanned(planned, part, found, signal);
  let lines = 0;
  for await (const { bytes, cutFrom } of readPart(input, part, { signal })) {
    const counter = new LineCounter();
    counter.push(bytes);
    counter.end();
    lines += cutFrom === undefined ? counter.lines : 1;
  }
  signal.throwIfAborted();
  return lines;
}
