import { maxLineBytes, withoutEnds, type LineStart } from './lines.js';

/** What is needed to read the lines of a range. */
export interface RangeBytes {
  /** An `ArrayBuffer` of its own is below it, which may be transferred. */
  readonly bytes: Uint8Array;
  /** Where the first byte stands. */
  readonly start: LineStart;
  /** Set when it holds the beginning of one line that is too long to be kept: its whole length. */
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
  readonly #maxLineBytes: number;
  /** Where the next range begins. */
  #start: LineStart;
  #pieces: Buffer[] = [];
  /** Bytes of whole lines among the pieces; behind them stands a line whose end has not come. */
  #wholeBytes = 0;
  /** Length of that line so far, and how much of it is kept. */
  #openBytes = 0;
  #keptBytes = 0;

  /** A range is made as soon as there are `enoughBytes`; `start` says where the first chunk begins. */
  constructor(file: number, start: LineStart, enoughBytes: number, maxBytes = maxLineBytes) {
    this.#file = file;
    this.#start = start;
    this.#enoughBytes = enoughBytes;
    this.#maxLineBytes = maxBytes;
  }

  /** How many lines have ended in the ranges so far. */
  get linesRead(): number {
    return this.#start.line - 1;
  }

  push(chunk: Buffer): Range[] {
    const ranges: Range[] = [];
    const step = Math.max(1, Math.min(stepBytes, this.#maxLineBytes));
    for (let at = 0; at < chunk.length; at += step) {
      this.#take(chunk.subarray(at, at + step), ranges);
    }
    return ranges;
  }

  /** What is left, a last line without a line end included. */
  end(): Range[] {
    if (this.#openBytes > this.#maxLineBytes) return [...this.breakOff(), this.#cutLine(0, true)];
    this.#wholeBytes += this.#openBytes;
    this.#openBytes = 0;
    return [this.#wholeLines(true)];
  }

  /** The whole lines that are left. */
  breakOff(): Range[] {
    return this.#wholeBytes > 0 ? [this.#wholeLines(false)] : [];
  }

  #take(bytes: Buffer, ranges: Range[]): void {
    const first = bytes.indexOf(lineFeed);
    if (first === -1) {
      this.#keep(bytes);
    } else if (this.#openBytes + first > this.#maxLineBytes) {
      this.#keep(bytes.subarray(0, first));
      ranges.push(...this.breakOff(), this.#cutLine(1, false));
      this.#takeLines(bytes.subarray(first + 1), ranges);
    } else {
      this.#takeLines(bytes, ranges);
    }
  }

  /** Lines that end, none of them too long, and the beginning of one whose end has not come. */
  #takeLines(bytes: Buffer, ranges: Range[]): void {
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      this.#pieces.push(bytes.subarray(0, end));
      this.#wholeBytes += this.#openBytes + end;
      this.#openBytes = this.#keptBytes = 0;
      if (this.#wholeBytes >= this.#enoughBytes) ranges.push(this.#wholeLines(false));
    }
    if (end < bytes.length) this.#keep(bytes.subarray(end));
  }

  /** Keeps more of the line whose end has not come, as far as a line is kept. */
  #keep(piece: Buffer): void {
    this.#openBytes += piece.length;
    const kept = piece.subarray(0, this.#maxLineBytes - this.#keptBytes);
    this.#keptBytes += kept.length;
    if (kept.length > 0) this.#pieces.push(kept);
  }

  #wholeLines(isLast: boolean): Range {
    const bytes = this.#takePieces(this.#wholeBytes);
    this.#wholeBytes = 0;
    const start = this.#start;
    const lines = countLines(bytes);
    const last = lines > 0 ? lastLine(bytes, start, lines) : undefined;
    this.#start = { offset: start.offset + bytes.length, line: start.line + lines };
    return { file: this.#file, bytes, start, lines, last, isLast };
  }

  /** The line that is too long, where no whole lines stand before it. */
  #cutLine(endBytes: number, isLast: boolean): Range {
    const length = this.#openBytes;
    const bytes = this.#takePieces(this.#keptBytes);
    this.#openBytes = this.#keptBytes = 0;
    const start = this.#start;
    this.#start = { offset: start.offset + length + endBytes, line: start.line + 1 };
    const last = { ...start, length };
    return { file: this.#file, bytes, start, lines: 1, last, cutFrom: length, isLast };
  }

  /** So many of the bytes gathered, in memory of their own. */
  #takePieces(length: number): Buffer<ArrayBuffer> {
    const bytes = Buffer.allocUnsafeSlow(length);
    const pieces = this.#pieces;
    this.#pieces = [];
    let at = 0;
    for (const piece of pieces) {
      const taken = piece.copy(bytes, at);
      at += taken;
      if (taken < piece.length) this.#pieces.push(piece.subarray(taken));
    }
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
