import { isUtf8 } from 'node:buffer';

/** A line of an event file, without its line end. */
export interface Line {
  readonly bytes: Buffer;
  /** From 1. */
  readonly line: number;
  /** Offset of its first byte in the (inflated) file. */
  readonly offset: number;
  /** Set when the line is longer than `maxLineBytes`; then `bytes` is only its beginning. */
  readonly cutFrom?: number;
}

/** The beginning of a line: its offset in the file, and its number from 1. */
export interface LineStart {
  readonly offset: number;
  readonly line: number;
}

export const fileStart: LineStart = { offset: 0, line: 1 };

/** Says of a line in `chunk[start, end)` whether it is done with, and need not be returned. */
export type LineTest = (chunk: Buffer, start: number, end: number) => boolean;

/** What one line may take in memory. No event comes near; a dead letter can hold such a line. */
export const maxLineBytes = 256 * 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Cuts a byte stream into lines at 0x0A alone. A CR before it is dropped, as is a byte order mark
 * at the start of the file; blank and all-space lines are counted but not returned.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #line = 0;
  #offset = 0;
  /** Beginnings of a line whose end has not come yet. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #keptBytes = 0;
  /** Whether all bytes of the chunks that the pieces are from are UTF-8. */
  #isText = true;
  #areText = true;

  /** `start` says where in the file the first chunk begins. */
  constructor(maxBytes = maxLineBytes, start: LineStart = fileStart) {
    this.#maxBytes = maxBytes;
    this.#offset = start.offset;
    this.#line = start.line - 1;
  }

  /** How many lines have ended so far. */
  get linesRead(): number {
    return this.#line;
  }

  /**
   * Whether all lines that the latest call returned are known to be UTF-8: one look at a chunk is much
   * quicker than one at each of its lines.
   */
  get areText(): boolean {
    return this.#areText;
  }

  /** `isDone` is asked of the lines that are whole in the chunk, where it is UTF-8. */
  push(chunk: Buffer, isDone?: LineTest): Line[] {
    const isText = isUtf8(chunk);
    this.#areText = isText && this.#isText;
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      if (this.#isPlain(chunk, start, end))
        this.#pushLine(chunk, start, end, lines, isText ? isDone : undefined);
      else this.#endLine(chunk.subarray(start, end), 1, lines);
      start = end + 1;
    }
    this.#isText = isText && (start > 0 || this.#isText);
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /** Whether a line is as most are: whole in its chunk, not the first, not blank, not too long. */
  #isPlain(chunk: Buffer, start: number, end: number): boolean {
    return (
      this.#pieceBytes === 0 &&
      this.#offset > 0 &&
      chunk[start]! > 0x20 &&
      end - start <= this.#maxBytes
    );
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
    if (!isDone?.(chunk, start, end))
      lines.push({ bytes: chunk.subarray(start, end), line, offset });
  }

  /** The last line, where the file does not end with a line feed. */
  end(): Line[] {
    const lines: Line[] = [];
    this.#areText = this.#isText;
    if (this.#pieceBytes > 0) this.#endLine(Buffer.alloc(0), 0, lines);
    return lines;
  }

  /** The lines of bytes that are all there is. */
  whole(bytes: Buffer): Line[] {
    const lines = this.push(bytes);
    const areText = this.#areText;
    lines.push(...this.end());
    this.#areText &&= areText;
    return lines;
  }

  #keep(piece: Buffer): void {
    this.#pieceBytes += piece.length;
    const room = this.#maxBytes - this.#keptBytes;
    if (room <= 0) return;
    const kept = piece.subarray(0, room);
    this.#pieces.push(kept);
    this.#keptBytes += kept.length;
  }

  #endLine(last: Buffer, endBytes: number, lines: Line[]): void {
    const offset = this.#offset;
    const line = ++this.#line;
    const length = this.#pieceBytes + last.length;
    this.#offset += length + endBytes;
    const bytes = withoutEnds(this.#assemble(last), offset === 0);
    if (length > this.#maxBytes) lines.push({ bytes, line, offset, cutFrom: length });
    else if (!isBlank(bytes)) lines.push({ bytes, line, offset });
  }

  #assemble(last: Buffer): Buffer {
    if (this.#pieceBytes === 0) return last.subarray(0, this.#maxBytes);
    this.#keep(last);
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#pieceBytes = this.#keptBytes = 0;
    return whole;
  }
}

/** Without the CR that ends a line, and without the byte order mark that may begin the first one. */
export function withoutEnds(bytes: Buffer, isFirst: boolean): Buffer {
  const start = isFirst && bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const end = bytes[bytes.length - 1] === carriageReturn ? bytes.length - 1 : bytes.length;
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, Math.max(start, end));
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  return true;
}
