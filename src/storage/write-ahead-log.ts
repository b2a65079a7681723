import { closeSync, fdatasync, fdatasyncSync, openSync, realpathSync } from 'node:fs';

/**
 * The file beside an SQLite database where its commits go first, https://sqlite.org/wal.html. SQLite
 * writes it, and brings it to the disk when it is asked to, which blocks; this does it beside everything
 * else, on a thread of Node's own.
 */
export class WriteAheadLog {
  readonly #path: string;
  #file: number | undefined;
  #syncs = 0;
  #isClosed = false;

  constructor(databasePath: string) {
    this.#path = `${realpathSync(databasePath)}-wal`;
  }

  /** Resolves when all that has been committed is on the disk. Rejects with the error of the system. */
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

  /** The same, at once. */
  syncNow(): void {
    fdatasyncSync(this.#open());
  }

  close(): void {
    this.#isClosed = true;
    this.#closeUnused();
  }

  /** Not before it is needed: SQLite makes it at its first commit. */
  #open(): number {
    return (this.#file ??= openSync(this.#path, 'r+'));
  }

  /** While it is being brought to the disk, its number must not become another file's. */
  #closeUnused(): void {
    if (!this.#isClosed || this.#syncs > 0 || this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
  }
}
