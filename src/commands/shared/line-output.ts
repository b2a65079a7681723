import type { Writable } from 'node:stream';

/** Writes all lines of one turn of the event loop in one call. */
export class LineOutput {
  readonly #stream: Writable;
  readonly #queued: ((chars: number) => () => void) | undefined;
  #lines: string[] = [];

  /**
   * @param queued called with the number of characters of each text that is given to the stream; the function that it
   * returns is called when that text was written
   */
  constructor(stream: Writable, queued?: (chars: number) => () => void) {
    this.#stream = stream;
    this.#queued = queued;
  }

  print(line: string): void {
    if (this.#lines.length === 0) setImmediate(() => this.flush());
    this.#lines.push(line);
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const text = `${this.#lines.join('\n')}\n`;
    this.#stream.write(text, this.#queued?.(text.length));
    this.#lines = [];
  }
}
