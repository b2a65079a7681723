import { FileWriter } from '../storage/file-writer.js';

/** Lines are appended to the file as soon as they have this many characters. */
const maxHeldChars = 64 * 1024;

/**
 * Writes the lines of `--record`. Requests of one turn of the event loop are written together and
 * responded to afterwards: a request with a response is in the file, even if the process is killed. A
 * forwarded request is the exception: it is recorded when its response has ended.
 */
export class Recorder {
  readonly #file: FileWriter;
  readonly #onFailure: (error: unknown) => void;
  /** Lines that the file does not have yet, each with its newline. */
  #lines = '';
  #waiting: (() => void)[] = [];
  #hasFailed = false;

  /** `onFailure` is called once, when the file cannot be written; then nothing more is recorded. */
  constructor(path: string, onFailure: (error: unknown) => void) {
    this.#file = new FileWriter(path, 'the --record file');
    this.#onFailure = onFailure;
  }

  /** `written` is called when the file has the line; never if it cannot be written. */
  add(line: string, written: () => void): void {
    if (this.#hasFailed) return;
    if (this.#waiting.length === 0) setImmediate(() => this.flush());
    this.#waiting.push(written);
    this.#lines += `${line}\n`;
    if (this.#lines.length >= maxHeldChars) this.#append();
  }

  /** Writes all lines so far. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#append();
    this.#attempt(() => this.#file.flush());
    if (this.#hasFailed) return;
    for (const written of waiting) written();
  }

  close(): void {
    this.flush();
    this.#attempt(() => this.#file.close());
  }

  /** Encodes many lines at once: a buffer for each would be slower. */
  #append(): void {
    const bytes = Buffer.from(this.#lines);
    this.#lines = '';
    this.#attempt(() => this.#file.append(bytes));
  }

  #attempt(write: () => void): void {
    if (this.#hasFailed) return;
    try {
      write();
    } catch (error) {
      this.#hasFailed = true;
      this.#onFailure(error);
    }
  }
}
