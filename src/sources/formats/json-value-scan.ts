const quote = 0x22;
const backslash = 0x5c;
const lineFeed = 0x0a;
const openArray = 0x5b;
const openObject = 0x7b;

/** The bytes outside texts that matter: 1 opens, 2 closes, 3 is a quote, 4 a newline. */
const kinds = new Uint8Array(256);
kinds[openArray] = kinds[openObject] = 1;
kinds[0x5d] = kinds[0x7d] = 2;
kinds[quote] = 3;
kinds[lineFeed] = 4;

/** The bytes that end a number or a word: space, and what stands between values. */
const endsScalar = new Uint8Array(256);
for (const byte of ' \t\r\n,]}') endsScalar[byte.charCodeAt(0)] = 1;

/**
 * Finds the end of a JSON value that arrives in pieces, by its quotes and brackets alone: whether it is valid
 * is checked by whoever reads it. Needs no memory for levels, so that a hundred million of them are no problem.
 */
export class JsonValueScan {
  /** Newlines in the value so far. */
  newlines = 0;
  /** Where the latest piece has a newline within a text, which no valid value has. */
  newlinesInText: number[] = [];
  #isOpen = false;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isScalar = false;

  /** Whether the end of the value has not been read. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A value that begins with this byte follows. */
  begin(first: number): void {
    this.newlines = 0;
    this.#isOpen = true;
    this.#depth = 0;
    this.#isText = this.#isEscaped = false;
    this.#isScalar = first !== quote && first !== openArray && first !== openObject;
  }

  /** Reads a piece of the value; returns where the value ends in it, or its length. */
  read(bytes: Buffer, start: number): number {
    if (this.newlinesInText.length > 0) this.newlinesInText = [];
    const end = this.#isScalar ? this.#endOfScalar(bytes, start) : this.#end(bytes, start);
    return end;
  }

  #endOfScalar(bytes: Buffer, at: number): number {
    while (at < bytes.length && endsScalar[bytes[at]!] === 0) at++;
    if (at < bytes.length) this.#isOpen = false;
    return at;
  }

  #end(bytes: Buffer, at: number): number {
    const { length } = bytes;
    let depth = this.#depth;
    while (at < length) {
      if (this.#isText) {
        at = this.#endOfText(bytes, at);
        if (this.#isText as boolean) break;
        if (depth === 0) return this.#close(at);
        continue;
      }
      let kind = 0;
      while (at < length && (kind = kinds[bytes[at]!]!) === 0) at++;
      if (at === length) break;
      at++;
      if (kind === 3) this.#isText = true;
      else if (kind === 1) depth++;
      else if (kind === 4) this.newlines++;
      else if (--depth === 0) return this.#close(at);
    }
    this.#depth = depth;
    return at;
  }

  #close(at: number): number {
    this.#isOpen = false;
    return at;
  }

  /** The index behind the quote that ends the text, or the end of the piece. */
  #endOfText(bytes: Buffer, at: number): number {
    const { length } = bytes;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at = this.#pass(bytes, at);
    }
    while (at < length) {
      const byte = bytes[at]!;
      if (byte === quote) {
        this.#isText = false;
        return at + 1;
      }
      if (byte === backslash) {
        this.#isEscaped = ++at === length;
        if (this.#isEscaped) return at;
        at = this.#pass(bytes, at);
      } else if (byte === lineFeed) {
        at = this.#pass(bytes, at);
      } else {
        at++;
      }
    }
    return at;
  }

  /** Passes a byte of a text that may be a newline. */
  #pass(bytes: Buffer, at: number): number {
    if (bytes[at] === lineFeed) {
      this.newlines++;
      this.newlinesInText.push(at);
    }
    return at + 1;
  }
}
