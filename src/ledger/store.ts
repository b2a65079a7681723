import { closeSync, openSync, statSync } from 'node:fs';
import { EvfwdError, StateError, UsageError } from '../errors.js';
import { openDatabase, type Database, type Statement } from './database.js';
import type { Fingerprint } from './fingerprint.js';
import type { OpenRun, Place } from './progress.js';
import { fromRow, retryColumns, toValues, type RetryRow } from './retry-row.js';
import { migrate, schemaVersion, versionOf } from './schema.js';

/** How many events of an import have ended so, in all its runs. */
export interface Counts {
  readonly delivered: number;
  readonly rejected: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What is known of an import from its first run on. */
export interface ImportRecord {
  /** For people: files, target, options. */
  readonly description: string;
  /** What `--ids new` makes ids from. */
  readonly seed: string;
  /** `--since` and `--until` as they were at the first run, where they were given as `36h`. */
  readonly selection: string;
  readonly files: readonly Fingerprint[];
}

/** One transaction: all of it is durable, or nothing. */
export interface Changes {
  readonly place: Place;
  readonly counts: Counts;
  readonly isFinished: boolean;
  readonly putRetries: readonly RetryRow[];
  readonly deleteRetries: readonly number[];
  /** Dead letters that still have to get to their file. */
  readonly addLetters: readonly Uint8Array[];
}

/** A dead letter on its way to the file. */
export interface StoredLetter {
  readonly id: number;
  readonly line: Buffer;
}

/** The state of one import in an SQLite file; `:memory:` for one that cannot be resumed. */
export class ImportStore {
  readonly path: string;
  readonly #database: Database;
  readonly #inode: number | undefined;
  readonly #statements = new Map<string, Statement>();

  private constructor(path: string, database: Database) {
    this.path = path;
    this.#database = database;
    this.#inode = path === ':memory:' ? undefined : statSync(path).ino;
  }

  /**
   * @throws UsageError when the file is corrupt or of a newer version; StateError when it cannot be
   * written.
   */
  static async open(path: string): Promise<ImportStore> {
    try {
      createPrivate(path);
      const database = await openDatabase(path);
      checkVersion(database, path);
      prepare(database);
      migrate(database);
      return new ImportStore(path, database);
    } catch (error) {
      throw explained(error, path);
    }
  }

  /** What earlier runs have recorded of the import; undefined for a new one. */
  record(): ImportRecord | undefined {
    return this.#do(() => {
      const row = this.#get('SELECT * FROM import');
      if (!row) return undefined;
      const files = this.#statement('SELECT * FROM file ORDER BY position').all();
      return {
        description: row.description as string,
        seed: row.seed as string,
        selection: row.selection as string,
        files: files.map((file) => ({
          path: file.path as string,
          size: Number(file.size),
          modified: Number(file.modified),
          headBytes: Number(file.head_bytes),
          headHash: file.head_hash as string,
        })),
      };
    });
  }

  /** Writes what the import is known by; at its first run, and again when a file has grown. */
  putRecord(record: ImportRecord): void {
    this.#transaction(() => {
      this.#run(
        'INSERT OR REPLACE INTO import VALUES (1, ?, ?, ?)',
        record.description,
        record.seed,
        record.selection,
      );
      record.files.forEach((file, i) => {
        const { path, size, modified, headBytes, headHash } = file;
        this.#run(
          'INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)',
          ...[i, path, size, modified, headBytes, headHash],
        );
      });
    });
  }

  place(): Place {
    const row = this.#do(() => this.#get('SELECT place FROM progress'));
    return row ? (JSON.parse(row.place as string) as Place) : { last: [], open: [] };
  }

  counts(): Counts {
    const row = this.#do(() => this.#get('SELECT * FROM progress'));
    return {
      delivered: Number(row?.delivered ?? 0),
      rejected: Number(row?.rejected ?? 0),
      failed: Number(row?.failed ?? 0),
      skipped: Number(row?.skipped ?? 0),
    };
  }

  isFinished(): boolean {
    return this.#do(() => this.#get('SELECT finished FROM progress'))?.finished === 1;
  }

  /** How many events wait for a retry. */
  retryCount(): number {
    return Number(this.#do(() => this.#get('SELECT count(*) AS n FROM retry'))?.n);
  }

  /** The highest number of a retry so far. */
  lastRetryId(): number {
    return Number(this.#do(() => this.#get('SELECT max(id) AS n FROM retry'))?.n ?? 0);
  }

  /** Retries by their due time, the earliest first. */
  earliestRetries(limit: number): RetryRow[] {
    return this.#do(() =>
      this.#statement('SELECT * FROM retry ORDER BY due_at LIMIT ?').all(limit).map(fromRow),
    );
  }

  /** The user of each event that waits for a retry. */
  retryUsers(): string[] {
    const rows = this.#do(() => this.#statement('SELECT user FROM retry').all());
    return rows.map(({ user }) => user as string);
  }

  /** Forgets the retries of these lines. */
  dropRetriesOf(runs: readonly OpenRun[]): void {
    if (runs.length === 0) return;
    const sql = 'DELETE FROM retry WHERE file = ? AND line >= ? AND line < ?';
    this.#transaction(() => {
      for (const [file, line, , count] of runs) this.#run(sql, file, line, line + count);
    });
  }

  /** Makes all of them due at once. */
  hurryRetries(): void {
    this.#transaction(() => this.#run('UPDATE retry SET due_at = 0'));
  }

  letters(): StoredLetter[] {
    const rows = this.#do(() => this.#statement('SELECT * FROM letter ORDER BY id').all());
    return rows.map(({ id, line }) => ({ id: Number(id), line: Buffer.from(line as Uint8Array) }));
  }

  /** `letterWritten`: dead letters up to this id have got to their file, and are struck off here. */
  commit(changes: Changes, letterWritten = 0): void {
    this.#throwIfRemoved();
    this.#transaction(() => {
      const { delivered, rejected, failed, skipped } = changes.counts;
      this.#run(
        'INSERT OR REPLACE INTO progress VALUES (1, ?, ?, ?, ?, ?, ?)',
        ...[JSON.stringify(changes.place), delivered, rejected, failed, skipped],
        changes.isFinished ? 1 : 0,
      );
      for (const id of changes.deleteRetries) this.#run('DELETE FROM retry WHERE id = ?', id);
      for (const row of changes.putRetries) this.#run(putRetry, ...toValues(row));
      this.#run('DELETE FROM letter WHERE id <= ?', letterWritten);
      for (const line of changes.addLetters)
        this.#run('INSERT INTO letter (line) VALUES (?)', line);
    });
  }

  close(): void {
    this.#unlock();
    this.#do(() => this.#database.close());
  }

  /**
   * The package keeps a closed database, and so its lock, until all its statements are collected as
   * garbage. A state that cannot be tidied up stays whole, in two files.
   */
  #unlock(): void {
    try {
      this.#database.exec('PRAGMA journal_mode = DELETE');
      this.#database.exec('PRAGMA locking_mode = NORMAL');
      this.#database.exec('SELECT count(*) FROM progress');
    } catch {
      // The disk is full, or the file is gone: what has been committed is in it or beside it.
    }
  }

  #transaction(work: () => void): void {
    this.#do(() => {
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

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }

  #do<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explained(error, this.path);
    }
  }

  /** SQLite goes on writing to a file that was removed, where nobody will find it. */
  #throwIfRemoved(): void {
    if (this.#inode === undefined) return;
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (found?.ino !== this.#inode) {
      throw new StateError(`${this.path}: was removed while the import ran; run it again`);
    }
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  #run(sql: string, ...values: Parameters<Statement['run']>): void {
    this.#statement(sql).run(...values);
  }

  #get(sql: string): ReturnType<Statement['get']> {
    return this.#statement(sql).get();
  }
}

const putRetry = `INSERT OR REPLACE INTO retry (${retryColumns.join(', ')}) VALUES (${retryColumns.map(() => '?').join(', ')})`;

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

function checkVersion(database: Database, path: string): void {
  const version = versionOf(database);
  if (version <= schemaVersion) return;
  throw new UsageError(
    `${path}: was made by a newer evfwd (state version ${version}, this one knows ${schemaVersion}); update evfwd, or start over with --fresh`,
    'state_newer',
  );
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
