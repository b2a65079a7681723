import type { LineStart } from './lines.js';
import { maxLineBytes, OpenLine, withoutEnds } from './open-line.js';

export interface RangeBytes {
  /** Has an `ArrayBuffer` of its own, which may be transferred. */
  readonly bytes: Uint8Array;
  /** The position of the first byte. */
  readonly start: LineStart;
  /** Set if the range holds only the beginning of one too long line: the length of that line. */
  readonly cutFrom?: number;
}

/** Whole lines of an input as bytes, handed from one thread to another. */
export interface Range extends RangeBytes {
  readonly bytes: Buffer<ArrayBuffer>;
  /** Index of the input. */
  readonly file: number;
  /** Lines in it, including blank ones and a last line without a newline. */
  readonly lines: number;
  /** The last of them, its length as in `Origin`; undefined without lines. */
  readonly last: LastLine | undefined;
  /**
   * Whether the input has been read to its end. Such a range may have no lines; a truncated input has
   * no such range.
   */
  readonly isLast: boolean;
}

export interface LastLine extends LineStart {
  readonly length: number;
}

/** Bytes per step. Only the first of the lines that end in a step can be too long. */
const stepBytes = 256 * 1024;
const lineFeed = 0x0a;

/** Cuts a byte stream into ranges of whole lines, by a search for newlines only. */
export class RangeCutter {
  readonly #file: number;
  readonly #enoughBytes: number;
  readonly #stepBytes: number;
  /** Where the next range begins. */
  #start: LineStart;
  /** Its whole lines. */
  #pieces: Buffer[] = [];
  #wholeBytes = 0;
  readonly #open: OpenLine;

  /** A range is made as soon as there are `enoughBytes`; `start` is where the first chunk begins. */
  constructor(file: number, start: LineStart, enoughBytes: number, maxBytes = maxLineBytes) {
    this.#file = file;
    this.#start = start;
    this.#enoughBytes = Math.max(1, enoughBytes);
    this.#stepBytes = Math.max(1, Math.min(stepBytes, maxBytes));
    this.#open = new OpenLine(maxBytes);
  }

  /** How many lines have ended in the ranges so far. */
  get linesRead(): number {
    return this.#start.line - 1;
  }

  push(chunk: Buffer): Range[] {
    const ranges: Range[] = [];
    for (let at = 0; at < chunk.length; at += this.#stepBytes) {
      this.#take(chunk.subarray(at, at + this.#stepBytes), ranges);
    }
    return ranges;
  }

  /** The rest, including a last line without a newline. */
  end(): Range[] {
    const long = this.#takeLongLine(0, true);
    if (long) return long;
    this.#keepLines(this.#open.take());
    return [this.#wholeLines(true)];
  }

  /** The whole lines that are left. */
  flush(): Range[] {
    return this.#wholeBytes > 0 ? [this.#wholeLines(false)] : [];
  }

  #take(bytes: Buffer, ranges: Range[]): void {
    const first = bytes.indexOf(lineFeed);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (first !== -1) {
      this.#open.append(bytes.subarray(0, first));
      const long = this.#takeLongLine(1, false);
      if (long) ranges.push(...long);
      else this.#keepLines(this.#open.take());
      this.#keepLines(bytes.subarray(long ? first + 1 : first, end));
    }
    this.#open.append(bytes.subarray(end));
    if (this.#wholeBytes >= this.#enoughBytes) ranges.push(this.#wholeLines(false));
  }

  /** If the open line is too long: the whole lines before it, then a range of its own. */
  #takeLongLine(endBytes: number, isLast: boolean): Range[] | undefined {
    const beginning = this.#open.beginning(this.#start.offset + this.#wholeBytes === 0);
    if (!beginning) return undefined;
    const before = this.flush();
    const start = this.#start;
    this.#start = {
      offset: start.offset + this.#open.length + endBytes,
      line: start.line + 1,
    };
    this.#open.take();
    const last = { ...start, length: beginning.cutFrom };
    return [...before, { file: this.#file, ...beginning, start, lines: 1, last, isLast }];
  }

  #keepLines(bytes: Buffer): void {
    if (bytes.length > 0) this.#pieces.push(bytes);
    this.#wholeBytes += bytes.length;
  }

  #wholeLines(isLast: boolean): Range {
    const bytes = this.#takePieces();
    const start = this.#start;
    const lines = countLines(bytes);
    const last = lines > 0 ? lastLine(bytes, start, lines) : undefined;
    this.#start = { offset: start.offset + bytes.length, line: start.line + lines };
    return { file: this.#file, bytes, start, lines, last, isLast };
  }

  /** The pieces, joined in a new buffer. */
  #takePieces(): Buffer<ArrayBuffer> {
    const bytes = Buffer.allocUnsafeSlow(this.#wholeBytes);
    let at = 0;
    for (const piece of this.#pieces) at += piece.copy(bytes, at);
    this.#pieces = [];
    this.#wholeBytes = 0;
    return bytes;
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  let at = 0;
  for (; at < bytes.length; lines++) {
    const end = bytes.indexOf(lineFeed, at);
    at = end === -1 ? bytes.length : end + 1;
  }
  return lines;
}

/** The position of the last of `lines` lines. */
function lastLine(bytes: Buffer, start: LineStart, lines: number): LastLine {
  const end = bytes.at(-1) === lineFeed ? bytes.length - 1 : bytes.length;
  const at = end === 0 ? 0 : bytes.lastIndexOf(lineFeed, end - 1) + 1;
  const offset = start.offset + at;
  const { length } = withoutEnds(bytes.subarray(at, end), offset === 0);
  return { line: start.line + lines - 1, offset, length };
}
