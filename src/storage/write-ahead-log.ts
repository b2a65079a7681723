import { closeSync, fdatasync, fdatasyncSync, openSync, realpathSync } from 'node:fs';

/**
 * The write-ahead log of an SQLite database, https://sqlite.org/wal.html. SQLite writes it, but would
 * block while syncing it; this class syncs it on a thread of Node's pool.
 */
export class WriteAheadLog {
  readonly #path: string;
  #file: number | undefined;
  #syncs = 0;
  #isClosed = false;

  constructor(databasePath: string) {
    this.#path = `${realpathSync(databasePath)}-wal`;
  }

  /** Resolves when all commits are on the disk. Rejects with the error of the system. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      const file = this.#open();
      this.#syncs++;
      fdatasync(file, (error) => {
        this.#syncs--;
        this.#closeUnused();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** The same, synchronously. */
  syncNow(): void {
    fdatasyncSync(this.#open());
  }

  close(): void {
    this.#isClosed = true;
    this.#closeUnused();
  }

  /** Opened when first needed, since SQLite creates it at its first commit. */
  #open(): number {
    return (this.#file ??= openSync(this.#path, 'r+'));
  }

  /** Waits for syncs in progress, so that their descriptor is not reused for another file. */
  #closeUnused(): void {
    if (!this.#isClosed || this.#syncs > 0 || this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
  }
}
