import type { Writable } from 'node:stream';

/** Writes all lines of one turn of the event loop in one call. */
export class LineOutput {
  readonly #stream: Writable;
  #lines: string[] = [];

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  print(line: string): void {
    if (this.#lines.length === 0) setImmediate(() => this.flush());
    this.#lines.push(line);
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    this.#stream.write(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
  }
}
