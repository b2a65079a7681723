import { byteOrderMark, hasByteOrderMark } from '../json/byte-order-mark.js';

/**
 * The longest line accepted, in bytes. Its newline (LF or CRLF) and a byte order mark before the first
 * line do not count; space does.
 */
export const maxLineBytes = 1024 * 1024;

/** How much of the beginning of a longer line is kept. */
export const beginningBytes = 4096;

const carriageReturn = 0x0d;
/** A byte order mark before a line and a CR after it do not count. */
const uncountedBytes = byteOrderMark.length + 1;

const nothing = Buffer.allocUnsafeSlow(0);

/** The part of a too long line that is kept. */
export interface LineBeginning {
  /** A copy of its beginning. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** The length of the whole line. */
  readonly cutFrom: number;
}

/** Collects a line whose newline has not arrived yet. Of a line that is too long, only the beginning. */
export class OpenLine {
  readonly #maxBytes: number;
  readonly #beginningBytes: number;
  #bytes = nothing;
  #kept = 0;
  #length = 0;
  #lastByte = 0;

  constructor(maxBytes = maxLineBytes) {
    this.#maxBytes = maxBytes;
    this.#beginningBytes = Math.min(maxBytes, beginningBytes);
  }

  /** All bytes so far, a byte order mark and a CR included. */
  get length(): number {
    return this.#length;
  }

  /** Adds a copy of the next bytes of the line; if the line is too long, they are only counted. */
  append(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    this.#lastByte = piece[piece.length - 1]!;
    const longest = this.#maxBytes + uncountedBytes;
    if (this.#length > longest) this.#resize(this.#beginningBytes + byteOrderMark.length);
    else if (this.#length > this.#bytes.length)
      this.#resize(Math.min(Math.max(this.#length, 2 * this.#bytes.length), longest));
    this.#kept += piece.copy(this.#bytes, this.#kept);
  }

  /** The beginning, if the line is longer than the limit. `isFirst`: it is the first of its file. */
  beginning(isFirst: boolean): LineBeginning | undefined {
    const start = markLength(this.#bytes.subarray(0, this.#kept), isFirst);
    const endBytes = this.#lastByte === carriageReturn ? 1 : 0;
    const cutFrom = this.#length - start - endBytes;
    if (cutFrom <= this.#maxBytes) return undefined;
    return { bytes: copyOf(this.#bytes.subarray(start, start + this.#beginningBytes)), cutFrom };
  }

  /** Returns the bytes of the line (all, unless it is too long) and starts the next line. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#kept);
    this.#bytes = nothing;
    this.#kept = this.#length = this.#lastByte = 0;
    return bytes;
  }

  /** Bytes beyond `size` are dropped. */
  #resize(size: number): void {
    if (size === this.#bytes.length) return;
    const resized = Buffer.allocUnsafeSlow(size);
    this.#kept = this.#bytes.copy(resized, 0, 0, this.#kept);
    this.#bytes = resized;
  }
}

function copyOf(bytes: Buffer): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Without the CR that ends a line, and without the byte order mark that may begin the first one. */
export function withoutEnds(bytes: Buffer, isFirst: boolean): Buffer {
  const start = markLength(bytes, isFirst);
  const end = bytes[bytes.length - 1] === carriageReturn ? bytes.length - 1 : bytes.length;
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, Math.max(start, end));
}

/** How many of the bytes are a byte order mark that does not count: 0 unless they begin a file. */
export function markLength(bytes: Buffer, isFirst: boolean): number {
  return isFirst && hasByteOrderMark(bytes) ? byteOrderMark.length : 0;
}
