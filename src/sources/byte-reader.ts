/** Reads chunks of bytes piece by piece. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #endedEarly: () => Error;
  #rest: Buffer = Buffer.alloc(0);

  /** `endedEarly` makes the error of a `take` or `skip` beyond the end. */
  constructor(chunks: AsyncIterable<Buffer>, endedEarly: () => Error) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#endedEarly = endedEarly;
  }

  /** The bytes that follow, as many as there are at once; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    if (!(await this.#fill())) return undefined;
    const chunk = this.#rest;
    this.#rest = Buffer.alloc(0);
    return chunk;
  }

  /** What is read of the source and unread here; possibly empty. */
  get buffered(): Buffer {
    return this.#rest;
  }

  /** Puts the end of the chunk that `next` has returned, or of `buffered`, back. */
  unread(rest: Buffer): void {
    this.#rest = rest;
  }

  /** The next byte, which stays unread; undefined at the end. */
  async peek(): Promise<number | undefined> {
    return (await this.#fill()) ? this.#rest[0] : undefined;
  }

  /** The next `count` bytes. */
  async take(count: number): Promise<Buffer> {
    const bytes = Buffer.alloc(count);
    for (let at = 0; at < count;) {
      await this.#expectMore();
      const copied = this.#rest.copy(bytes, at);
      this.#rest = this.#rest.subarray(copied);
      at += copied;
    }
    return bytes;
  }

  async skip(count: number): Promise<void> {
    await this.take(count);
  }

  /** Skips all up to the first such byte, and that. */
  async skipPast(byte: number): Promise<void> {
    for (;;) {
      await this.#expectMore();
      const at = this.#rest.indexOf(byte);
      this.#rest = this.#rest.subarray(at < 0 ? this.#rest.length : at + 1);
      if (at >= 0) return;
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.(undefined);
  }

  async #expectMore(): Promise<void> {
    if (!(await this.#fill())) throw this.#endedEarly();
  }

  /** Whether there are more bytes. */
  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return false;
      this.#rest = next.value;
    }
    return true;
  }
}
