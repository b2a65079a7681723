/**
 * Puts a JSON text together from literals and from spans of other texts, without turning the spans
 * into strings. One scratch buffer serves all, since a text is finished before the next begins.
 */
export class TextBuilder {
  #scratch = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  /** Appends ASCII text. */
  ascii(text: string): this {
    this.#reserve(text.length);
    this.#length += this.#scratch.write(text, this.#length, 'latin1');
    return this;
  }

  /** Appends any text, as UTF-8. */
  text(text: string): this {
    this.#reserve(text.length * 3);
    this.#length += this.#scratch.write(text, this.#length, 'utf8');
    return this;
  }

  /** Appends `source[start, end)` as it is. */
  span(source: Buffer, start: number, end: number): this {
    this.#reserve(end - start);
    this.#length += source.copy(this.#scratch, this.#length, start, end);
    return this;
  }

  /** Returns the finished text in a buffer of its own, and starts anew. */
  finish(): Buffer {
    const result = Buffer.allocUnsafeSlow(this.#length);
    this.#scratch.copy(result, 0, 0, this.#length);
    this.#length = 0;
    return result;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#scratch.length) return;
    const larger = Buffer.allocUnsafe(needed * 2);
    this.#scratch.copy(larger, 0, 0, this.#length);
    this.#scratch = larger;
  }
}
