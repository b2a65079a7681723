import { closeSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { Clock } from '../clock.js';
import { endTornLine, openToAppend } from './append-file.js';

export interface LogFileOptions {
  readonly path: string;
  /** Whether to truncate the file. */
  readonly isNew: boolean;
  readonly clock: Clock;
}

const bufferedBytes = 64 * 1024;
const firstWaitMs = 1;
const maxWaitMs = 100;

/**
 * Appends lines to a file. If it is a pipe that is full or has no reader yet, it retries by a timer: a
 * blocking write would also prevent the process from exiting.
 */
export class LogFile extends Writable {
  readonly #options: LogFileOptions;
  #file: number | undefined;
  #waitMs = firstWaitMs;
  #cancelWait: (() => void) | undefined;
  #linesWritten = 0;

  /** Throws what the system throws when the file cannot be created. */
  constructor(options: LogFileOptions) {
    super({ highWaterMark: bufferedBytes });
    this.#options = options;
    this.#file = this.#open();
  }

  /** How many lines have been written to the file. */
  get linesWritten(): number {
    return this.#linesWritten;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#writeAll(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#writeAll(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#cancelWait?.();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    done(error);
  }

  #open(): number | undefined {
    const { path, isNew } = this.#options;
    try {
      const file = openToAppend(path, { isNew, isNonBlocking: true });
      endTornLine(file, path);
      return file;
    } catch (error) {
      // A pipe without a reader.
      if (isCode(error, 'ENXIO')) return undefined;
      throw error;
    }
  }

  #writeAll(bytes: Buffer, done: (error?: Error) => void): void {
    let left = bytes;
    try {
      while (left.length > 0) {
        const written = this.#writeSome(left);
        if (written === 0) {
          this.#later(() => this.#writeAll(left, done));
          return;
        }
        left = left.subarray(written);
      }
    } catch (error) {
      done(error as Error);
      return;
    }
    // Chunks of the same turn of the event loop are written together.
    setImmediate(done);
  }

  /** Returns how many bytes were written: 0 if there is no room or no reader. */
  #writeSome(bytes: Buffer): number {
    this.#file ??= this.#open();
    if (this.#file === undefined) return 0;
    try {
      const written = writeSync(this.#file, bytes);
      this.#linesWritten += countLines(bytes.subarray(0, written));
      this.#waitMs = firstWaitMs;
      return written;
    } catch (error) {
      if (isCode(error, 'EAGAIN')) return 0;
      throw error;
    }
  }

  #later(next: () => void): void {
    this.#cancelWait = this.#options.clock.after(this.#waitMs, next);
    this.#waitMs = Math.min(this.#waitMs * 2, maxWaitMs);
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
