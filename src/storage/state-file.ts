import { closeSync, openSync, statSync } from 'node:fs';
import { StateError } from '../errors.js';
import { openDatabase, type Database, type Row, type SqlValue, type Statement } from './sqlite.js';
import { explained, newerVersion, type StateAdvice } from './state-errors.js';
import { WriteAheadLog } from './write-ahead-log.js';

/**
 * When a commit is to be on the disk: when it returns, or after the next `flush()`. Either way it
 * outlives the process as soon as it returns.
 */
export type OnDisk = 'at once' | 'later';

/** What a state file is used for. */
export interface StateUse {
  /** Its layout; a migration is one more entry, and never changes an older one. */
  readonly migrations: readonly string[];
  readonly advice: StateAdvice;
}

/**
 * A state file: SQLite, for its owner alone, durable at every commit unless that is put off, and used by
 * one process at a time. What SQLite throws is replaced by a StateError or UsageError with advice.
 */
export class StateFile {
  readonly path: string;
  readonly #use: StateUse;
  readonly #database: Database;
  /** Undefined for `:memory:`. */
  readonly #inode: number | undefined;
  readonly #log: WriteAheadLog | undefined;
  readonly #statements = new Map<string, Statement>();
  #onDisk: OnDisk = 'at once';

  private constructor(path: string, use: StateUse, database: Database) {
    this.path = path;
    this.#use = use;
    this.#database = database;
    if (path === ':memory:') return;
    this.#inode = inodeOf(path);
    this.#log = new WriteAheadLog(path);
  }

  /**
   * Opens a file and brings it up to the last migration. A missing one is made; `:memory:` is gone when it
   * is closed.
   * @throws UsageError when it is damaged, in use or of a newer version; StateError when it cannot be
   * written.
   */
  static async open(path: string, use: StateUse): Promise<StateFile> {
    try {
      createPrivate(path);
      const file = new StateFile(path, use, await openDatabase(path));
      file.#prepare();
      return file;
    } catch (error) {
      throw explained(error, path, use.advice);
    }
  }

  /** All of `work` is committed, or nothing of it. */
  transaction(work: () => void, onDisk: OnDisk = 'at once'): void {
    this.#do(() => {
      this.#throwIfRemoved();
      this.#setOnDisk(onDisk);
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

  /** Within a transaction: returns how many rows have changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** Within a transaction: adds one row, and returns its id. */
  insert(sql: string, ...values: SqlValue[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid);
  }

  /** Within a transaction: writes the version, which tells whether the file can be written. */
  probe(): void {
    this.#database.exec(`PRAGMA user_version = ${this.#use.migrations.length}`);
  }

  get(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#do(() => this.#statement(sql).get(...values));
  }

  all(sql: string, ...values: SqlValue[]): Row[] {
    return this.#do(() => this.#statement(sql).all(...values));
  }

  /** Runs statements that are needed once. */
  exec(sql: string): void {
    this.#do(() => this.#database.exec(sql));
  }

  /** Resolves when all that has been committed is on the disk. */
  async flush(): Promise<void> {
    try {
      await this.#log?.sync();
    } catch (error) {
      throw explained(error, this.path, this.#use.advice);
    }
  }

  /** The same, at once. */
  flushNow(): void {
    this.#do(() => this.#log?.syncNow());
  }

  close(): void {
    this.#log?.close();
    this.#unlock();
    this.#do(() => this.#database.close());
  }

  /** Applies the migrations that an older file lacks, all of them or none; a new file lacks all. */
  #prepare(): void {
    const { migrations, advice } = this.#use;
    const version = Number(this.#database.prepare('PRAGMA user_version').get()?.user_version);
    if (version > migrations.length) {
      throw newerVersion(this.path, version, migrations.length, advice);
    }
    // The process that has the lock is alone. FULL: a commit has reached the disk when it returns.
    this.#database.exec('PRAGMA locking_mode = EXCLUSIVE');
    this.#database.exec('PRAGMA journal_mode = WAL');
    this.#database.exec('PRAGMA synchronous = FULL');
    if (version === migrations.length) return;
    this.transaction(() => {
      for (const sql of migrations.slice(version)) this.#database.exec(sql);
      this.probe();
    });
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
      throw explained(error, this.path, this.#use.advice);
    }
  }

  /** SQLite goes on writing to a file that was removed, where nobody will find it. */
  #throwIfRemoved(): void {
    if (this.#inode === undefined || inodeOf(this.path) === this.#inode) return;
    throw new StateError(`${this.path}: was removed ${this.#use.advice.removed}`);
  }

  /** NORMAL leaves the disk to `flush()`, but for what keeps the file whole. */
  #setOnDisk(onDisk: OnDisk): void {
    if (this.#onDisk === onDisk) return;
    this.#database.exec(`PRAGMA synchronous = ${onDisk === 'later' ? 'NORMAL' : 'FULL'}`);
    this.#onDisk = onDisk;
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }

  /**
   * The package keeps a closed database, and so its lock, until all its statements are collected as
   * garbage. A state that cannot be tidied up stays whole, in two files.
   */
  #unlock(): void {
    try {
      this.#database.exec('PRAGMA journal_mode = DELETE');
      this.#database.exec('PRAGMA locking_mode = NORMAL');
      this.#database.exec('SELECT count(*) FROM sqlite_schema');
    } catch {
      // The disk is full, or the file is gone: what has been committed is in it or beside it.
    }
  }
}

/** SQLite gives the files beside the database the same mode. */
function createPrivate(path: string): void {
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
