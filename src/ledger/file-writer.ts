import { closeSync, fstatSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { StateError } from '../errors.js';
import { makeFolder } from './make-folder.js';

const flushBytes = 64 * 1024;

/**
 * Appends to a file that must not lose what it is given: opened at the first write, readable by the
 * owner alone, gathered into larger writes, and every failure is an error at once.
 */
export class FileWriter {
  readonly path: string;
  readonly #what: string;
  #file: number | undefined;
  #isUsed = false;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  /** `what` names the file in errors: `the dead-letter file`. */
  constructor(path: string, what: string) {
    this.path = path;
    this.#what = what;
  }

  /** Whether anything was written, also after `close`. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** @throws StateError when an earlier part cannot be written. */
  append(bytes: Buffer): void {
    this.#isUsed = true;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= flushBytes) this.flush();
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

  /** Writes the rest, and waits until the disk has it. */
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
    makeFolder(dirname(this.path));
    const isWithinLine = endsWithinLine(this.path);
    const file = openSync(this.path, 'a', 0o600);
    if (isWithinLine) writeAll(file, Buffer.from('\n'));
    return file;
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
      const message = `${this.path}: ${this.#what} cannot be written (${code}); make room or choose another place, then run again`;
      throw new StateError(message, { cause });
    }
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** A disk that was full left a piece of a line; the next one must not be glued to it. */
function endsWithinLine(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size === 0) return false;
  const file = openSync(path, 'r');
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, found.size - 1);
  closeSync(file);
  return last[0] !== 0x0a;
}

/** What is written to a file that has no name any more is lost, and no write says so. */
function throwIfRemoved(file: number): void {
  if (fstatSync(file).nlink > 0) return;
  throw Object.assign(new Error('the file was removed'), { code: 'ENOENT' });
}

/** Pipes and terminals have nothing to sync, and refuse it. */
function sync(file: number): void {
  if (fstatSync(file).isFile()) fsyncSync(file);
}
