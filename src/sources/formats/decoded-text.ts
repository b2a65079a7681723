const lineFeed = 0x0a;

/** The usual size of a chunk. */
const chunkBytes = 64 * 1024;
/** Chunks are cut from buffers of this size, as long as the next one has room. */
const bufferBytes = 4 * chunkBytes;

/**
 * The NDJSON that a decoder makes. It is given away in chunks of about 64 KB: one small buffer for each record
 * would cost more than the record. Whoever gets a chunk may keep it, since its memory is not used again.
 */
export class DecodedText {
  /** Has room for as many bytes as the latest `reserve` asked for. */
  bytes: Buffer = Buffer.allocUnsafeSlow(0);
  /** Where the text ends in `bytes`. The caller writes there, and moves this. */
  end = 0;
  #start = 0;
  #newlines = 0;

  /** How many bytes there are to take. */
  get length(): number {
    return this.end - this.#start;
  }

  /** Lines that have ended. */
  get newlines(): number {
    return this.#newlines;
  }

  /** Whether a chunk should be taken before more is written. */
  get isFull(): boolean {
    return this.end - this.#start >= chunkBytes;
  }

  /** Makes room for this many bytes more. */
  reserve(count: number): void {
    if (this.end + count <= this.bytes.length) return;
    const { length } = this;
    const isLong = length + count > bufferBytes;
    const next = Buffer.allocUnsafeSlow(isLong ? 2 * length + count : bufferBytes);
    this.bytes.copy(next, 0, this.#start, this.end);
    this.bytes = next;
    this.#start = 0;
    this.end = length;
  }

  append(piece: Buffer): void {
    this.reserve(piece.length);
    this.end += piece.copy(this.bytes, this.end);
  }

  /** Ends lines until so many have ended, or there is a chunk to take. Returns whether they have. */
  endLines(count: number): boolean {
    const missing = Math.min(count - this.#newlines, chunkBytes);
    if (missing <= 0) return true;
    this.reserve(missing);
    // Mostly it is one.
    for (let i = 0; i < missing; i++) this.bytes[this.end++] = lineFeed;
    this.#newlines += missing;
    return this.#newlines >= count;
  }

  /** The text so far, or its first bytes. */
  take(count = this.length): Buffer {
    const chunk = this.bytes.subarray(this.#start, this.#start + count);
    this.#start += count;
    return chunk;
  }

  /** Takes the last bytes back. */
  drop(count: number): void {
    this.end -= count;
  }
}
