import { closeSync, fstatSync, fsyncSync, writeSync } from 'node:fs';
import { StateError } from '../errors.js';
import { endTornLine, nextOffset, openToAppend } from './append-file.js';

const flushBytes = 64 * 1024;

/**
 * Appends to a file that must not lose data: it is opened at the first write, readable only by the
 * owner, small writes are combined, and every failure is thrown at once.
 */
export class FileWriter {
  readonly path: string;
  readonly #what: string;
  #file: number | undefined;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  /** `what` names the file in errors: `the dead-letter file`. */
  constructor(path: string, what: string) {
    this.path = path;
    this.#what = what;
  }

  /** @throws StateError when an earlier part cannot be written. */
  append(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= flushBytes) this.flush();
  }

  /**
   * Appends the rest of a line whose beginning is at the end of the file.
   * @throws StateError when the file cannot be written.
   */
  appendRest(bytes: Buffer): void {
    this.#attempt(() => writeAll((this.#file ??= openToAppend(this.path)), bytes));
  }

  /** The offset of the next line; undefined if unknown, as in a pipe. */
  nextOffset(): number | undefined {
    try {
      const offset = nextOffset(this.path);
      return offset === undefined ? undefined : offset + this.#pendingBytes;
    } catch {
      // The next write throws the error.
      return undefined;
    }
  }

  /** @throws StateError when the file cannot be written. */
  flush(): void {
    if (this.#pendingBytes === 0) return;
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#attempt(() => {
      this.#file ??= this.#open();
      writeAll(this.#file, bytes);
      throwIfRemoved(this.#file);
    });
  }

  /** Writes the rest, and waits until it is on the disk. */
  sync(): void {
    this.flush();
    const file = this.#file;
    if (file === undefined) return;
    this.#attempt(() => {
      throwIfRemoved(file);
      sync(file);
    });
  }

  close(): void {
    this.sync();
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    this.#attempt(() => closeSync(file));
  }

  #open(): number {
    const file = openToAppend(this.path);
    endTornLine(file, this.path);
    return file;
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
      const message = `${this.path}: ${this.#what} cannot be written (${code}); make room or choose another path, then run again`;
      throw new StateError(message, { cause });
    }
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** Writes to a file that was unlinked succeed, but their data is lost. */
function throwIfRemoved(file: number): void {
  if (fstatSync(file).nlink > 0) return;
  throw Object.assign(new Error('the file was removed'), { code: 'ENOENT' });
}

/** Pipes and terminals do not support fsync. */
function sync(file: number): void {
  if (fstatSync(file).isFile()) fsyncSync(file);
}
