import { isPlain, type Input } from './input.js';
import { fileStart, type LineStart } from './lines.js';
import { RangeCutter, type Range } from './range.js';
import { rangeBytes as defaultRangeBytes, readRanges, type RangeOptions } from './ranges.js';
import { reportFailure } from './read.js';
import { Source } from './source.js';

/** The lines of a file whose first byte is in `[from, to)`. */
export interface Part {
  readonly from: number;
  /** Null: to the end of the file. */
  readonly to: number | null;
  /** Where to begin, if an earlier run has read a beginning: the start of a line of the part. */
  readonly start?: LineStart | undefined;
}

export interface PartOptions extends Omit<RangeOptions, 'rest'> {
  /** About how many bytes make a range of a plain file. Default: 256 KB. */
  readonly rangeBytes?: number;
}

/**
 * Reads a part of a file in ranges, like `readRanges`. Lines are counted from 1 at the start of the part;
 * offsets are those of the file. The parts of a file between any cuts hold each line exactly once, though
 * who reads one knows nothing of the others. A gzip file is one part: `from` is 0 and `to` is null.
 *
 * @throws BrokenInputError when the file cannot be read to the end of the part
 */
export async function* readPart(
  input: Input,
  { from, to, start }: Part,
  options: PartOptions = {},
): AsyncGenerator<Range> {
  if (!isPlain(input)) {
    yield* readRanges([input], { ...options, ...(start && { rest: () => ({ start }) }) });
    return;
  }
  const lines = new PartLines({ from, to, start });
  const source = new Source(input, lines.readFrom, options);
  let cutter: RangeCutter | undefined;
  try {
    while (!lines.hasEnded) {
      const chunk = await source.next();
      if (!chunk) break;
      const bytes = lines.take(chunk);
      if (bytes.length === 0) continue;
      cutter ??= new RangeCutter(0, lines.start, options.rangeBytes ?? defaultRangeBytes);
      yield* cutter.push(bytes);
    }
    if (lines.hasEnded || source.hasEnded) yield* cutter?.end() ?? [];
    else if (source.failure) yield* cutter?.flush() ?? [];
    reportFailure(source, input, cutter?.linesRead ?? 0, options);
  } finally {
    await source.close();
  }
}

const lineFeed = 0x0a;

/** Takes the bytes of a part out of the chunks of its file. */
class PartLines {
  /** Where to begin to read: the byte before the part says whether a line begins with it. */
  readonly readFrom: LineStart;
  readonly #to: number;
  /** Offset of the next chunk. */
  #at: number;
  /** The first line; undefined before it is found. */
  #start: LineStart | undefined;
  #hasEnded = false;

  constructor({ from, to, start }: Part) {
    this.#start = start ?? (from === 0 ? fileStart : undefined);
    this.readFrom = this.#start ?? { line: 1, offset: from - 1 };
    this.#at = this.readFrom.offset;
    this.#to = to ?? Infinity;
    this.#endIfEmpty();
  }

  /** Where the first line begins, after `take` has returned bytes of it. */
  get start(): LineStart {
    return this.#start!;
  }

  /** Whether all bytes of the part have been taken. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The bytes of the next chunk that belong to the part. */
  take(chunk: Buffer): Buffer {
    const at = this.#at;
    this.#at += chunk.length;
    let begin = 0;
    if (!this.#start) {
      begin = afterNewline(chunk, 0);
      if (begin === 0) {
        // A line that goes on behind the part leaves nothing to it, however long it is.
        this.#hasEnded = this.#at >= this.#to - 1;
        return nothing;
      }
      this.#start = { line: 1, offset: at + begin };
      this.#endIfEmpty();
    }
    if (this.#hasEnded) return nothing;
    if (this.#at < this.#to) return chunk.subarray(begin);
    const end = afterNewline(chunk, Math.max(0, this.#to - 1 - at));
    this.#hasEnded = end > 0;
    return chunk.subarray(begin, end > 0 ? end : chunk.length);
  }

  #endIfEmpty(): void {
    this.#hasEnded = this.#start !== undefined && this.#start.offset >= this.#to;
  }
}

const nothing = Buffer.alloc(0);

/** The index after the first newline at or after `at`; 0 without one. */
function afterNewline(chunk: Buffer, at: number): number {
  return chunk.indexOf(lineFeed, at) + 1;
}
