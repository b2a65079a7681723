import { closeSync, openSync, statSync } from 'node:fs';
import { StateError } from '../errors.js';
import { openDatabase, type Database, type Row, type SqlValue, type Statement } from './sqlite.js';
import { explained, otherVersion, type StateAdvice } from './state-errors.js';
import { WriteAheadLog } from './write-ahead-log.js';

/**
 * When a commit is on the disk: when it returns, or after the next `flush()`. In both cases it survives
 * a crash of the process as soon as it returns.
 */
export type OnDisk = 'at once' | 'later';

/** How a state file is used. */
export interface StateUse {
  /** The version of its schema, above 0. A file of another version is refused. */
  readonly version: number;
  /** Makes the tables of a new file. */
  readonly schema: string;
  readonly advice: StateAdvice;
}

/** The database of a state file and what is on the disk around it, passed in so that tests can replace it. */
export interface StateDisk {
  readonly database: Database;
  /** Flushes commits to the disk. Default: nothing is flushed. */
  readonly log?: Pick<WriteAheadLog, 'sync' | 'syncNow' | 'close'> | undefined;
  /** Whether the file was deleted or replaced. */
  readonly isRemoved: () => boolean;
}

/**
 * To what the write-ahead log shrinks again after a large transaction, when it is next written from its
 * start. SQLite copies it to the database file after about 4 MB.
 */
const maxLogBytes = 8 * 1024 * 1024;

/**
 * A state file: an SQLite database, accessible only by its owner, used by one process at a time, and
 * durable at every commit unless deferred. Errors of SQLite become a StateError or UsageError with advice.
 */
export class StateFile {
  readonly path: string;
  readonly #use: StateUse;
  readonly #disk: StateDisk;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  #onDisk: OnDisk = 'at once';

  private constructor(path: string, use: StateUse, disk: StateDisk) {
    this.path = path;
    this.#use = use;
    this.#disk = disk;
    this.#database = disk.database;
  }

  /**
   * Opens a file; a missing one is created. What is in `:memory:`, or in a
   * temporary file (an empty path: in memory as long as it is small), is lost when it is closed.
   * @throws UsageError when it is damaged, in use or of another version; StateError when it cannot be
   * written.
   */
  static async open(path: string, use: StateUse): Promise<StateFile> {
    try {
      return StateFile.on(await openDisk(path), path, use);
    } catch (error) {
      throw explained(error, path, use.advice);
    }
  }

  /** As `open`, on what is open already. @throws as `open` does */
  static on(disk: StateDisk, path: string, use: StateUse): StateFile {
    const file = new StateFile(path, use, disk);
    file.#do(() => file.#prepare());
    return file;
  }

  /** Commits all of `work` or nothing. */
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

  /** Within a transaction: checks whether the file can be written, by writing its version. */
  probe(): void {
    this.#database.exec(`PRAGMA user_version = ${this.#use.version}`);
  }

  get(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#do(() => this.#statement(sql).get(...values));
  }

  all(sql: string, ...values: SqlValue[]): Row[] {
    return this.#do(() => this.#statement(sql).all(...values));
  }

  /** Runs statements that are not reused. */
  exec(sql: string): void {
    this.#do(() => this.#database.exec(sql));
  }

  /** Resolves when all commits are on the disk. */
  async flush(): Promise<void> {
    try {
      await this.#disk.log?.sync();
    } catch (error) {
      throw explained(error, this.path, this.#use.advice);
    }
  }

  /** The same, synchronously. */
  flushNow(): void {
    this.#do(() => this.#disk.log?.syncNow());
  }

  /**
   * Makes durable what a failed flush has left: the system takes what it could not write for written,
   * so later flushes of the log prove nothing. What was committed is copied to the database file.
   */
  rescueUnflushed(): void {
    this.#do(() => {
      this.#setOnDisk('at once');
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    });
  }

  /** For a full disk: copies the log to the database file, which may have free pages, and empties it. Throws nothing. */
  makeRoom(): void {
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // All commits are still in the log.
    }
  }

  close(): void {
    this.#disk.log?.close();
    this.#unlock();
    this.#do(() => this.#database.close());
  }

  /** Makes the tables of a new file, whose version is 0, in one transaction. */
  #prepare(): void {
    const { version: supported, schema, advice } = this.#use;
    const version = Number(this.#database.prepare('PRAGMA user_version').get()?.user_version);
    if (version !== 0 && version !== supported) {
      throw otherVersion(this.path, version, supported, advice);
    }
    // Only the process with the lock uses the file. FULL: a commit is on the disk when it returns.
    this.#database.exec('PRAGMA locking_mode = EXCLUSIVE');
    this.#database.exec('PRAGMA journal_mode = WAL');
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#database.exec(`PRAGMA journal_size_limit = ${maxLogBytes}`);
    if (version === supported) return;
    this.transaction(() => {
      this.#database.exec(schema);
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

  /** SQLite would continue to write to a removed file, and all of that would be lost. */
  #throwIfRemoved(): void {
    if (!this.#disk.isRemoved()) return;
    throw new StateError(`${this.path}: was removed ${this.#use.advice.removed}`);
  }

  /** NORMAL syncs only what keeps the database consistent, and leaves the rest to `flush()`. */
  #setOnDisk(onDisk: OnDisk): void {
    if (this.#onDisk === onDisk) return;
    this.#database.exec(`PRAGMA synchronous = ${onDisk === 'later' ? 'NORMAL' : 'FULL'}`);
    this.#onDisk = onDisk;
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back, as it does when the disk is full.
    }
  }

  /**
   * Releases SQLite's lock: the package keeps it after closing, until all statements are garbage-collected.
   * If the log cannot be merged into the database, the state stays intact in two files.
   */
  #unlock(): void {
    try {
      this.#database.exec('PRAGMA journal_mode = DELETE');
      this.#database.exec('PRAGMA locking_mode = NORMAL');
      this.#database.exec('SELECT count(*) FROM sqlite_schema');
    } catch {
      // The disk is full, or the file was removed: all commits are in the database or in the log.
    }
  }
}

async function openDisk(path: string): Promise<StateDisk> {
  createPrivate(path);
  const database = await openDatabase(path);
  if (isPrivate(path)) return { database, isRemoved: () => false };
  const inode = inodeOf(path);
  return { database, log: new WriteAheadLog(path), isRemoved: () => inodeOf(path) !== inode };
}

/** SQLite gives its other files the mode of the database. */
function createPrivate(path: string): void {
  if (!isPrivate(path)) closeSync(openSync(path, 'a', 0o600));
}

function isPrivate(path: string): boolean {
  return path === ':memory:' || path === '';
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
