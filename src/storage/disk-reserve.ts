import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { StateError } from '../errors.js';

/** Enough for the outcomes of what is in flight when the disk is found to be full. */
const reservedBytes = 1024 * 1024;

/**
 * Space on the disk that is kept for later. When a commit fails because the disk is full, it is released, so
 * that the outcomes of requests that were already sent can be recorded; new ones wait until it is held again.
 */
export class DiskReserve {
  readonly #path: string;
  #isHeld = false;

  /** `path`: of the file that takes the space. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Takes the space unless it is held. @throws StateError when there is not enough. */
  hold(): void {
    if (this.#isHeld) return;
    try {
      if (statSync(this.#path, { throwIfNoEntry: false })?.size !== reservedBytes) this.#write();
      this.#isHeld = true;
    } catch (error) {
      this.release();
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new StateError(
        `${this.#path}: no space can be reserved to record what is sent (${code}); free 1 MiB of the disk`,
        { cause: error },
      );
    }
  }

  release(): void {
    this.#isHeld = false;
    rmSync(this.#path, { force: true });
  }

  /** Random, so that no file system stores it in less. */
  #write(): void {
    const file = openSync(this.#path, 'w', 0o600);
    try {
      const bytes = randomBytes(reservedBytes);
      for (let written = 0; written < bytes.length;) {
        written += writeSync(file, bytes, written);
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}
