import { StateError } from '../../errors.js';
import type { Database, Row, SqlValue, Statement } from '../../storage/sqlite.js';
import { schemaVersion } from './schema.js';
import { explained, inodeOf, openStoreFile } from './open.js';

/** The open file, with each statement prepared once. What goes wrong is told as `explained` does. */
export class Connection {
  readonly path: string;
  readonly #database: Database;
  readonly #inode: number | undefined;
  readonly #statements = new Map<string, Statement>();

  private constructor(path: string, database: Database) {
    this.path = path;
    this.#database = database;
    this.#inode = inodeOf(path);
  }

  /** @throws UsageError, StateError as `openStoreFile` does. */
  static async open(path: string): Promise<Connection> {
    return new Connection(path, await openStoreFile(path));
  }

  /** Returns how many rows have changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return Number((this.#statement(sql).run(...values) as { changes: number | bigint }).changes);
  }

  /** Adds one row. Returns its id. */
  insert(sql: string, ...values: SqlValue[]): number {
    const result = this.#statement(sql).run(...values) as unknown;
    return Number((result as { lastInsertRowid: number | bigint }).lastInsertRowid);
  }

  get(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#do(() => this.#statement(sql).get(...values));
  }

  all(sql: string, ...values: SqlValue[]): Row[] {
    return this.#do(() => this.#statement(sql).all(...values));
  }

  /** All of `work` is durable when it returns, or nothing of it. */
  transaction(work: () => void): void {
    this.#do(() => {
      this.#throwIfRemoved();
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        work();
        this.#database.exec('COMMIT');
      } catch (error) {
        this.#rollBack();
        throw error;
      }
    });
  }

  /** Within a transaction: writes a page as it is. */
  probe(): void {
    this.#database.exec(`PRAGMA user_version = ${schemaVersion}`);
  }

  close(): void {
    this.#unlock();
    this.#do(() => this.#database.close());
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  #do<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explained(error, this.path);
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }

  /** SQLite goes on writing to a file that was removed, where nobody will find it. */
  #throwIfRemoved(): void {
    if (inodeOf(this.path) === this.#inode) return;
    throw new StateError(`${this.path}: was removed while the service ran; start it again`);
  }

  /**
   * The package keeps a closed database, and so its lock, until all its statements are collected as
   * garbage. A state that cannot be tidied up stays whole, in two files.
   */
  #unlock(): void {
    try {
      this.#database.exec('PRAGMA journal_mode = DELETE');
      this.#database.exec('PRAGMA locking_mode = NORMAL');
      this.#database.exec('SELECT count(*) FROM party');
    } catch {
      // The disk is full, or the file is gone: what has been committed is in it or beside it.
    }
  }
}
