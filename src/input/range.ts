import type { LineStart } from './lines.js';
import { maxLineBytes, OpenLine, withoutEnds } from './open-line.js';

/** What is needed to read the lines of a range. */
export interface RangeBytes {
  /** An `ArrayBuffer` of its own is below it, which may be transferred. */
  readonly bytes: Uint8Array;
  /** Where the first byte stands. */
  readonly start: LineStart;
  /** Set when it holds only the beginning of one line, which is too long: the length of that line. */
  readonly cutFrom?: number;
}

/** Whole lines of an input, still as bytes: what one thread hands to another. */
export interface Range extends RangeBytes {
  readonly bytes: Buffer<ArrayBuffer>;
  /** Index of the input. */
  readonly file: number;
  /** Lines in it, blank ones too; so is a last line without a line end. */
  readonly lines: number;
  /** The last of them, its length as in `Origin`; undefined where there is none. */
  readonly last: LastLine | undefined;
  /**
   * Whether the input has been read to its end. Such a range may have no lines; an input that breaks
   * off has no such range.
   */
  readonly isLast: boolean;
}

export interface LastLine extends LineStart {
  readonly length: number;
}

/** So much is looked at in one go. Only the first of the lines that end in it can be too long. */
const stepBytes = 256 * 1024;
const lineFeed = 0x0a;

/** Cuts a byte stream into ranges of whole lines, by a search for line ends alone. */
export class RangeCutter {
  readonly #file: number;
  readonly #enoughBytes: number;
  readonly #stepBytes: number;
  /** Where the next range begins. */
  #start: LineStart;
  /** Whole lines for it, and behind them the line whose newline has not come. */
  #pieces: Buffer[] = [];
  #wholeBytes = 0;
  readonly #open: OpenLine;

  /** A range is made as soon as there are `enoughBytes`; `start` says where the first chunk begins. */
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

  /** What is left, a last line without a line end included. */
  end(): Range[] {
    const long = this.#takeLongLine(0, true);
    if (long) return long;
    this.#keepLines(this.#open.take());
    return [this.#wholeLines(true)];
  }

  /** The whole lines that are left. */
  breakOff(): Range[] {
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

  /** The open line where it is too long: a range of its own, behind the whole lines before it. */
  #takeLongLine(endBytes: number, isLast: boolean): Range[] | undefined {
    const head = this.#open.head(this.#start.offset + this.#wholeBytes === 0);
    if (!head) return undefined;
    const before = this.breakOff();
    const start = this.#start;
    this.#start = {
      offset: start.offset + this.#open.length + endBytes,
      line: start.line + 1,
    };
    this.#open.take();
    const last = { ...start, length: head.cutFrom };
    return [...before, { file: this.#file, ...head, start, lines: 1, last, isLast }];
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

  /** The pieces joined, in memory of their own. */
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

/** Where the last of so many lines stands. */
function lastLine(bytes: Buffer, start: LineStart, lines: number): LastLine {
  const end = bytes.at(-1) === lineFeed ? bytes.length - 1 : bytes.length;
  const at = end === 0 ? 0 : bytes.lastIndexOf(lineFeed, end - 1) + 1;
  const offset = start.offset + at;
  const { length } = withoutEnds(bytes.subarray(at, end), offset === 0);
  return { line: start.line + lines - 1, offset, length };
}
