import type { Event, Problem } from '../events/event.js';
import type { Input } from './input.js';
import { fileStart, LineSplitter } from './lines.js';
import { maxLineBytes } from './open-line.js';
import { RangeCutter, type Range, type RangeBytes } from './range.js';
import { partsOf, readLines, reportFailure, type ReadOptions, type Rest } from './read.js';
import { Source } from './source.js';

export interface RangeOptions extends Omit<ReadOptions, 'rest'> {
  /** What is left of each input, by its index; undefined for all of it. */
  readonly rest?: (index: number) => Pick<Rest, 'start'> | undefined;
}

const rangeBytes = 256 * 1024;

/**
 * Reads event files in ranges of about 256 KB (more where a line is longer), cut at line ends and not
 * looked into; of a line that is too long, a range has the beginning alone. What comes from a pipe is
 * not held back: each chunk that ends a line makes a range.
 *
 * @throws BrokenInputError when an input breaks off, unless `onBroken` hears of it; its whole lines
 * come first.
 */
export async function* readRanges(
  inputs: readonly Input[],
  options: RangeOptions = {},
): AsyncGenerator<Range> {
  for (const [index, input] of inputs.entries()) yield* rangesOf(input, index, options);
}

async function* rangesOf(input: Input, file: number, options: RangeOptions): AsyncGenerator<Range> {
  const source = new Source(input, options.rest?.(file)?.start ?? fileStart, options);
  const cutter = new RangeCutter(file, source.start, input.isFile ? rangeBytes : 1);
  try {
    for (let chunk = await source.next(); chunk; chunk = await source.next()) {
      yield* cutter.push(chunk);
    }
    if (source.hasEnded) yield* cutter.end();
    else if (source.failure) yield* cutter.breakOff();
    reportFailure(source, input, cutter.linesRead, options);
  } finally {
    await source.close();
  }
}

/**
 * The events and problems of a range: the batches that `readBatches` gives for the same lines. `file`
 * is the name of the input; `takes` says which lines are still to be read. The bytes may have come
 * from another thread.
 */
export function* readRange(
  { bytes, start, cutFrom }: RangeBytes,
  file: string,
  takes?: Rest['takes'],
): Generator<(Event | Problem)[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rest = takes && { takes };
  if (cutFrom !== undefined) {
    yield* readLines([{ ...start, bytes: buffer, cutFrom }], file, rest, false);
    return;
  }
  const splitter = new LineSplitter(maxLineBytes, start);
  for (const part of partsOf(buffer)) {
    yield* readLines(splitter.push(part), file, rest, splitter.areText);
  }
  yield* readLines(splitter.end(), file, rest, splitter.areText);
}
