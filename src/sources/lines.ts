import { isUtf8 } from 'node:buffer';
import { maxLineBytes, OpenLine, withoutEnds } from './open-line.js';

/** A line of an event file, without its newline. */
export interface Line {
  readonly bytes: Buffer;
  /** From 1. */
  readonly line: number;
  /** Offset of its first byte in the (inflated) file. */
  readonly offset: number;
  /** Set when the line is too long: its length. then `bytes` is only its beginning. */
  readonly cutFrom?: number;
}

/** The beginning of a line: its offset in the file, and its number from 1. */
export interface LineStart {
  readonly offset: number;
  readonly line: number;
}

export const fileStart: LineStart = { offset: 0, line: 1 };

/** Whether the line in `chunk[start, end)` has been handled and need not be returned. */
export type LineTest = (chunk: Buffer, start: number, end: number) => boolean;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Cuts a byte stream into lines at 0x0A only. A CR before it is dropped, as is a byte order mark
 * at the start of the file. Blank lines are counted but not returned, unless they are too long.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #open: OpenLine;
  #line = 0;
  #offset = 0;
  /** Whether all chunks that the open line is from are UTF-8. */
  #isText = true;
  #areText = true;

  /** `start` says where in the file the first chunk begins. */
  constructor(maxBytes = maxLineBytes, start: LineStart = fileStart) {
    this.#maxBytes = maxBytes;
    this.#open = new OpenLine(maxBytes);
    this.#offset = start.offset;
    this.#line = start.line - 1;
  }

  /** How many lines have ended so far. */
  get linesRead(): number {
    return this.#line;
  }

  /**
   * Whether all lines that the latest call returned are known to be UTF-8: checking a chunk once is much
   * faster than checking each of its lines.
   */
  get areText(): boolean {
    return this.#areText;
  }

  /** `isDone` is called for lines that are whole in the chunk, if the chunk is UTF-8. */
  push(chunk: Buffer, isDone?: LineTest): Line[] {
    const isText = isUtf8(chunk);
    this.#areText = isText && this.#isText;
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      if (this.#isPlain(start, end))
        this.#pushLine(chunk, start, end, lines, isText ? isDone : undefined);
      else this.#endLine(chunk.subarray(start, end), 1, lines);
      start = this.#skipEmptyLines(chunk, end + 1);
    }
    this.#isText = isText && (start > 0 || this.#isText);
    if (start < chunk.length) this.#open.append(chunk.subarray(start));
    return lines;
  }

  /** Whether a line is like most: whole in its chunk, not the first, not too long. */
  #isPlain(start: number, end: number): boolean {
    return this.#open.length === 0 && this.#offset > 0 && end - start <= this.#maxBytes;
  }

  #pushLine(
    chunk: Buffer,
    start: number,
    lineEnd: number,
    lines: Line[],
    isDone: LineTest | undefined,
  ): void {
    const line = ++this.#line;
    const offset = this.#offset;
    const end = chunk[lineEnd - 1] === carriageReturn ? lineEnd - 1 : lineEnd;
    this.#offset += lineEnd - start + 1;
    if (isBlank(chunk, start, end) || isDone?.(chunk, start, end)) return;
    lines.push({ bytes: chunk.subarray(start, end), line, offset });
  }

  /**
   * Counts a run of empty lines at once: 1 MB of gzip can hold 1 GB of newlines, and one search for each
   * would take minutes.
   */
  #skipEmptyLines(chunk: Buffer, start: number): number {
    let at = start;
    while (chunk[at] === lineFeed) at++;
    this.#line += at - start;
    this.#offset += at - start;
    return at;
  }

  /** The last line, if the file does not end with a newline. */
  end(): Line[] {
    const lines: Line[] = [];
    this.#areText = this.#isText;
    if (this.#open.length > 0) this.#endLine(Buffer.alloc(0), 0, lines);
    return lines;
  }

  #endLine(last: Buffer, endBytes: number, lines: Line[]): void {
    const offset = this.#offset;
    const line = ++this.#line;
    this.#open.append(last);
    this.#offset += this.#open.length + endBytes;
    const beginning = this.#open.beginning(offset === 0);
    const bytes = withoutEnds(this.#open.take(), offset === 0);
    if (beginning) lines.push({ ...beginning, line, offset });
    else if (!isBlank(bytes, 0, bytes.length)) lines.push({ bytes, line, offset });
  }
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  }
  return true;
}
