import { closeSync, openSync, statSync } from 'node:fs';
import { EvfwdError, StateError, UsageError } from '../errors.js';
import { openDatabase, type Database, type Row, type SqlValue, type Statement } from './sqlite.js';
import { WriteAheadLog } from './write-ahead-log.js';

/**
 * When a commit is to be on the disk: when it returns, or after the next `flush()`. Either way it
 * outlives the process as soon as it returns.
 */
export type OnDisk = 'at once' | 'later';

/** What a state file is kept for. */
export interface StateUse {
  /** What runs with it, for people: `import`. */
  readonly job: string;
  /** Its layout; a migration is one more entry, and never changes an older one. */
  readonly migrations: readonly string[];
}

/**
 * A state file: SQLite, for its owner alone, durable at every commit unless that is put off, and held by
 * one process at a time. Whatever goes wrong with it is told with the way out.
 */
export class StateFile {
  readonly path: string;
  readonly #use: StateUse;
  readonly #database: Database;
  readonly #inode: number | undefined;
  /** Undefined where nothing gets to a disk. */
  readonly #log: WriteAheadLog | undefined;
  readonly #statements = new Map<string, Statement>();
  #onDisk: OnDisk = 'at once';

  private constructor(path: string, use: StateUse, database: Database) {
    this.path = path;
    this.#use = use;
    this.#database = database;
    if (path === ':memory:') return;
    this.#inode = statSync(path).ino;
    this.#log = new WriteAheadLog(path);
  }

  /**
   * Opens a file, or makes it; `:memory:` is one that is gone when it is closed.
   * @throws UsageError when it is corrupt or of a newer version; StateError when it cannot be written.
   */
  static async open(path: string, use: StateUse): Promise<StateFile> {
    try {
      createPrivate(path);
      const database = await openDatabase(path);
      checkVersion(database, path, use);
      prepare(database);
      migrate(database, use);
      return new StateFile(path, use, database);
    } catch (error) {
      throw explained(error, path);
    }
  }

  /** @throws StateError, UsageError in place of what SQLite throws. */
  do<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explained(error, this.path);
    }
  }

  /** All of it is committed, or nothing. */
  transaction(work: () => void, onDisk: OnDisk = 'at once'): void {
    this.do(() => {
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

  /** Resolves when all that has been committed is on the disk. @throws StateError */
  async flush(): Promise<void> {
    try {
      await this.#log?.sync();
    } catch (error) {
      throw explained(error, this.path);
    }
  }

  /** The same, at once. @throws StateError */
  flushNow(): void {
    this.do(() => this.#log?.syncNow());
  }

  statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  /** Returns how many rows it has changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return Number(this.statement(sql).run(...values).changes);
  }

  /** Runs several statements that are needed once. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  get(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.statement(sql).get(...values);
  }

  /** SQLite goes on writing to a file that was removed, where nobody will find it. */
  throwIfRemoved(): void {
    if (this.#inode === undefined) return;
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (found?.ino !== this.#inode) {
      const { job } = this.#use;
      throw new StateError(`${this.path}: was removed while the ${job} ran; run it again`);
    }
  }

  close(): void {
    this.#log?.close();
    this.#unlock();
    this.do(() => this.#database.close());
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
}

/** SQLite gives its files the mode of the database. */
function createPrivate(path: string): void {
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
}

/** FULL: a commit has reached the disk when it returns. The process that has the lock is alone. */
function prepare(database: Database): void {
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
}

/** 0 for a new file. */
function versionOf(database: Database): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

function checkVersion(database: Database, path: string, { migrations }: StateUse): void {
  const version = versionOf(database);
  if (version <= migrations.length) return;
  throw new UsageError(
    `${path}: was made by a newer evfwd (state version ${version}, this one knows ${migrations.length}); update evfwd, or start over with --fresh`,
    'state_newer',
  );
}

/** Brings an older state file up to this program, in one transaction. */
function migrate(database: Database, { migrations }: StateUse): void {
  const from = versionOf(database);
  if (from === migrations.length) return;
  database.exec('BEGIN IMMEDIATE');
  for (const sql of migrations.slice(from)) database.exec(sql);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
  database.exec('COMMIT');
}

/** SQLite's result codes, https://sqlite.org/rescode.html */
const corrupt = 11;
const noDatabase = 26;
const busy = 5;
const ioError = 10;

function explained(error: unknown, path: string): unknown {
  if (error instanceof EvfwdError) return error;
  const { code = 'unknown error' } = error as { code?: string };
  const errcode = resultCode(error);
  const primary = errcode === undefined ? undefined : errcode & 0xff;
  if (primary === corrupt || primary === noDatabase) {
    const message = `${path}: this state file is damaged; restore it, or start over with --fresh`;
    return new UsageError(message, 'state_damaged', { cause: error });
  }
  if (primary === busy) {
    return new UsageError(`${path}: is in use by another process; wait for it`, 'locked', {
      cause: error,
    });
  }
  if (errcode === undefined && !isFileError(error)) return error;
  const reason = errcode === undefined ? code : (error as Error).message;
  return new StateError(
    `${path}: the state cannot be written (${reason}); make room or make it writable, then run again`,
    { cause: error },
  );
}

/** What the package's queries throw has a message, but no code. */
function resultCode(error: unknown): number | undefined {
  const { errcode, message, code } = error as { errcode?: number; message: string; code?: string };
  if (errcode !== undefined || code !== 'ERR_SQLITE_ERROR') return errcode;
  return message.includes('malformed') ? corrupt : ioError;
}

function isFileError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
