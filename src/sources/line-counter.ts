const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Counts the lines that are not blank in a text that arrives in pieces. */
export class LineCounter {
  #lines = 0;
  #isBlank = true;

  /** Lines so far whose newline has arrived. */
  get lines(): number {
    return this.#lines;
  }

  push(text: Buffer): void {
    let start = 0;
    for (let end = text.indexOf(lineFeed); end !== -1; end = text.indexOf(lineFeed, start)) {
      this.#add(text, start, end);
      this.end();
      start = end + 1;
    }
    this.#add(text, start, text.length);
  }

  /** The text ends here, or a line does. */
  end(): void {
    if (!this.#isBlank) this.#lines++;
    this.#isBlank = true;
  }

  #add(text: Buffer, start: number, end: number): void {
    const isBlank = end === start || (end === start + 1 && text[start] === carriageReturn);
    if (!isBlank) this.#isBlank = false;
  }
}
