import { createReadStream, statSync } from 'node:fs';
import { FileWriter } from '../../storage/file-writer.js';

/** Lines of the dead-letter list of a run from `start` (0 is the first), at most `limit`. */
export type ReadDeadLetters = (start: number, limit: number) => Promise<readonly Buffer[]>;

/** A line may have more than a megabyte. */
const pageLength = 100;
const newline = 0x0a;

/**
 * Copies the dead letters of a run, which its server keeps in order, to a file. What the file has already
 * is found by its content: it was written in the same order, from the first one on, with other lines
 * before, in between and after. So a copy goes on where an earlier one was killed, even within a line.
 * Only one process at a time may do it.
 */
export class DeadLetterCopy {
  readonly #read: ReadDeadLetters;
  readonly #writer: FileWriter;
  /** How many are in the file; undefined until it was compared. */
  #copied: number | undefined;
  /** The last one of these, as the server has it. */
  #last: Buffer | undefined;
  #isClosed = false;

  constructor(path: string, read: ReadDeadLetters) {
    this.#read = read;
    this.#writer = new FileWriter(path, 'the dead-letter file');
  }

  /** Appends all that the file does not have yet. @throws StateError when it cannot be written. */
  async copy(): Promise<void> {
    let copied = (this.#copied ??= await this.#compare());
    for (;;) {
      if (!(await this.#isStillThere(copied))) this.#copied = copied = await this.#compare();
      const lines = await this.#read(copied, pageLength);
      if (lines.length === 0 || this.#isClosed) return;
      for (const line of lines) this.#writer.append(wholeLine(line));
      this.#writer.sync();
      this.#last = lines.at(-1);
      this.#copied = copied += lines.length;
    }
  }

  /** A server that was killed may have lost its last dead letters, which come again in another order. */
  async #isStillThere(copied: number): Promise<boolean> {
    if (copied === 0) return true;
    const [last] = await this.#read(copied - 1, 1);
    const before = this.#last;
    this.#last = last;
    return last !== undefined && (before?.equals(last) ?? true);
  }

  /** A copy that is running writes nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#writer.close();
  }

  /** How many of the dead letters are in the file, after completing the last one. */
  async #compare(): Promise<number> {
    const { path } = this.#writer;
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return 0;
    const expected = new Cursor(this.#read);
    let end: Buffer | undefined;
    for await (const { bytes, isWhole } of linesOf(path)) {
      if (!isWhole) end = bytes;
      else if ((await expected.line())?.equals(bytes)) expected.next();
    }
    if (end && this.#complete(end, await expected.line())) expected.next();
    return expected.index;
  }

  /** Completes the end of the file if it is the beginning of this dead letter. */
  #complete(end: Buffer, line: Buffer | undefined): boolean {
    if (this.#isClosed || !line?.subarray(0, end.length).equals(end)) return false;
    this.#writer.appendRest(line.subarray(end.length));
    return true;
  }
}

/** Steps through the dead letters, fetching them in pages. */
class Cursor {
  index = 0;
  readonly #read: ReadDeadLetters;
  #page: readonly Buffer[] = [];
  #pageStart = 0;
  #hasEnded = false;

  constructor(read: ReadDeadLetters) {
    this.#read = read;
  }

  /** The next line, with its newline; undefined if there are no more for now. */
  async line(): Promise<Buffer | undefined> {
    if (this.index >= this.#pageStart + this.#page.length && !this.#hasEnded) {
      this.#pageStart = this.index;
      this.#page = await this.#read(this.index, pageLength);
      // Those that are added while the file is compared are not in it.
      this.#hasEnded = this.#page.length === 0;
    }
    const line = this.#page[this.index - this.#pageStart];
    return line && wholeLine(line);
  }

  next(): void {
    this.index++;
  }
}

function wholeLine(line: Buffer): Buffer {
  return line.at(-1) === newline ? line : Buffer.concat([line, Buffer.from([newline])]);
}

interface FileLine {
  /** With its newline. */
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

async function* linesOf(path: string): AsyncGenerator<FileLine> {
  let open: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
      yield { bytes: Buffer.concat([...open, chunk.subarray(start, at + 1)]), isWhole: true };
      open = [];
      start = at + 1;
    }
    if (start < chunk.length) open.push(chunk.subarray(start));
  }
  if (open.length > 0) yield { bytes: Buffer.concat(open), isWhole: false };
}
