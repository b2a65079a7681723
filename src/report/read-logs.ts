import type { Readable } from 'node:stream';
import { UsageError } from '../errors.js';
import { readInput } from '../sources/read-input.js';
import { reasonOf, type Input } from '../sources/input.js';
import { LineSplitter, type Line } from '../sources/lines.js';
import { readAttemptLine, type LoggedAttempt } from './attempt-line.js';

/** Lines that were left out, and the location of the first one. */
export interface LeftOut {
  readonly count: number;
  readonly first: { readonly file: string; readonly line: number; readonly message: string } | null;
}

/** An input that could not be read to its end; its whole lines are counted. */
export interface BrokenInput {
  readonly file: string;
  /** Whole lines before the end. */
  readonly lines: number;
  readonly message: string;
}

/** What was read besides the attempts. */
export interface ReadSummary {
  readonly files: readonly string[];
  /** Lines that are not blank. */
  readonly lines: number;
  /** JSON lines that are not attempts. */
  readonly other: LeftOut;
  /** Lines that are not JSON, and attempts with a missing or wrong member. */
  readonly broken: LeftOut;
  readonly brokenInputs: readonly BrokenInput[];
}

/** Far above any line of an attempt log; a file without newlines must not fill the memory. */
const maxLineBytes = 64 * 1024;

/**
 * Reads logs line by line, plain or gzip, and hands each attempt to `onAttempt` at once.
 * @throws UsageError when one is another format
 */
export async function readLogs(
  inputs: readonly Input[],
  stdin: Readable,
  onAttempt: (attempt: LoggedAttempt) => void,
): Promise<ReadSummary> {
  const reader = new LogReader(onAttempt);
  for (const input of inputs) await reader.read(input, stdin);
  return reader.summary(inputs.map(({ name }) => name));
}

class LogReader {
  readonly #onAttempt: (attempt: LoggedAttempt) => void;
  readonly #leftOut: Record<'other' | 'broken', LeftOut> = {
    other: { count: 0, first: null },
    broken: { count: 0, first: null },
  };
  readonly #brokenInputs: BrokenInput[] = [];
  #lines = 0;

  constructor(onAttempt: (attempt: LoggedAttempt) => void) {
    this.#onAttempt = onAttempt;
  }

  summary(files: readonly string[]): ReadSummary {
    return { files, lines: this.#lines, ...this.#leftOut, brokenInputs: this.#brokenInputs };
  }

  async read(input: Input, stdin: Readable): Promise<void> {
    const splitter = new LineSplitter(maxLineBytes);
    const file = input.name;
    const chunks = readInput(input, stdin, () => undefined, { accepts: [], decodes: false });
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        if (error instanceof UsageError) throw error;
        this.#brokenInputs.push({ file, lines: splitter.linesRead, message: reasonOf(error) });
      });
      if (!next) return;
      const lines = next.done ? splitter.end() : splitter.push(next.value);
      for (const line of lines) this.#readLine(line, file);
      if (next.done) return;
    }
  }

  #readLine({ bytes, line, cutFrom }: Line, file: string): void {
    this.#lines++;
    if (cutFrom !== undefined) {
      this.#leaveOut('broken', file, line, `longer than ${maxLineBytes} bytes`);
      return;
    }
    const found = readAttemptLine(bytes);
    if ('unusable' in found) this.#leaveOut(found.unusable, file, line, found.message);
    else this.#onAttempt(found);
  }

  #leaveOut(kind: 'other' | 'broken', file: string, line: number, message: string): void {
    const { count, first } = this.#leftOut[kind];
    this.#leftOut[kind] = { count: count + 1, first: first ?? { file, line, message } };
  }
}
