import type { Event, Problem } from '../events/event.js';
import type { Input } from './input.js';
import { fileStart, LineSplitter, type LineStart } from './lines.js';
import { maxLineBytes } from './open-line.js';
import { RangeCutter, type Range, type RangeBytes } from './range.js';
import {
  isForeign,
  ownLines,
  partsOf,
  readLines,
  reportFailure,
  type ParseLine,
  type ReadOptions,
  type Rest,
} from './read.js';
import { Source } from './source.js';

export interface RangeOptions extends Omit<ReadOptions, 'rest'> {
  /** What is left of each input, by its index; undefined for all of it. */
  readonly rest?: (index: number) => Pick<Rest, 'start'> | undefined;
}

/** About how many bytes of a file make a range. */
export const rangeBytes = 256 * 1024;

/**
 * Reads event files in ranges of about 256 KB (more if a line is longer), cut at newlines and not
 * parsed. A line that is too long has a range with its beginning only. Data from a pipe is not
 * delayed: each chunk that ends a line makes a range.
 *
 * @throws BrokenInputError when an input is truncated and there is no `onBroken`; its whole lines come
 * first.
 * @throws Error for a share of kind `events`
 */
export async function* readRanges(
  inputs: readonly Input[],
  options: RangeOptions = {},
): AsyncGenerator<Range> {
  for (const [index, input] of inputs.entries()) yield* rangesOf(input, index, options);
}

async function* rangesOf(input: Input, file: number, options: RangeOptions): AsyncGenerator<Range> {
  const share = options.shares?.[file];
  if (share?.kind === 'events') throw new Error('a range is not parsed, so it has no events');
  if (isForeign(input, share)) return;
  const source = new Source(input, options.rest?.(file)?.start ?? fileStart, options);
  const own = ownLines(share, source);
  const cutterAt = (start: LineStart): RangeCutter =>
    new RangeCutter(file, start, input.isFile ? rangeBytes : 1);
  let cutter = cutterAt(source.start);
  try {
    for (let chunk = await source.next(); chunk; chunk = await source.next()) {
      for (const { bytes, start } of own?.push(chunk) ?? [{ bytes: chunk, start: undefined }]) {
        if (start) {
          yield* cutter.flush();
          cutter = cutterAt(start);
        }
        yield* cutter.push(bytes);
      }
    }
    if (source.hasEnded) yield* cutter.end();
    else if (source.failure) yield* cutter.flush();
    reportFailure(source, input, (own ?? cutter).linesRead, options);
  } finally {
    await source.close();
  }
}

/**
 * The events and problems of a range, in the batches that `readBatches` yields for the same lines.
 * `file` is the name of the input; `takes` selects the lines that are still to be read. The bytes may
 * be from another thread.
 */
export function* readRange<T = Event | Problem>(
  { bytes, start, cutFrom }: RangeBytes,
  file: string,
  takes?: Rest['takes'],
  parse?: ParseLine<T>,
): Generator<(T | Problem)[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rest = takes && { takes };
  if (cutFrom !== undefined) {
    yield* readLines([{ ...start, bytes: buffer, cutFrom }], file, rest, false, parse);
    return;
  }
  const splitter = new LineSplitter(maxLineBytes, start);
  for (const part of partsOf(buffer)) {
    yield* readLines(splitter.push(part), file, rest, splitter.areText, parse);
  }
  yield* readLines(splitter.end(), file, rest, splitter.areText, parse);
}
