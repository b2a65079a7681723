import type { Row } from '../storage/sqlite.js';
import { StateFile, type OnDisk, type StateDisk } from '../storage/state-file.js';
import type { Fingerprint } from './fingerprint.js';
import type { LastLine } from './last-line.js';
import { CompactLastLines } from './last-lines.js';
import type { PendingRange, Checkpoint } from './progress.js';
import { fromRow, retryColumns, toValues, type RetryRow } from './retry-row.js';
import { schema, schemaVersion } from './schema.js';
import { stateOfRun } from './state-use.js';

/** How many events of an import have each final status, over all its runs. */
export interface OutcomeCounts {
  readonly delivered: number;
  readonly rejected: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of the skipped ones, those whose integrations turn the target off. */
  readonly disabled: number;
  /** Of the skipped ones, those that no URL of the target wants. */
  readonly unwanted: number;
}

const importState = stateOfRun('import', { version: schemaVersion, schema });

export const noCounts: OutcomeCounts = {
  ...{ delivered: 0, rejected: 0, failed: 0 },
  ...{ skipped: 0, disabled: 0, unwanted: 0 },
};

/** How many events have ended. */
export function endedOf({ delivered, rejected, failed, skipped }: OutcomeCounts): number {
  return delivered + rejected + failed + skipped;
}

/** What identifies an import, from its first run on. */
export interface ImportRecord {
  /** For messages: files, target, options. */
  readonly description: string;
  /** What `--ids new` derives ids from. */
  readonly seed: string;
  /** `--since` and `--until` as resolved at the first run, also if they were relative, like `36h`. */
  readonly selection: string;
  /** A hash of the secrets and header values of the last run; null without any. */
  readonly credentials: string | null;
}

/** The changes of one transaction. */
export interface StateChanges {
  /** Only those last lines that are not committed yet, but all open lines. */
  readonly checkpoint: Checkpoint;
  readonly counts: OutcomeCounts;
  readonly isFinished: boolean;
  readonly putRetries: readonly RetryRow[];
  readonly deleteRetries: readonly number[];
  /** Dead letters that are not in their file yet. */
  readonly addDeadLetters: readonly Uint8Array[];
}

/** A dead letter that may not be in the file yet. */
export interface StoredDeadLetter {
  readonly id: number;
  readonly line: Buffer;
  /** Its offset in the file; null if unknown. */
  readonly offset: number | null;
}

/** How far the dead-letter file is written. */
export interface DeadLetterFileState {
  /** Dead letters up to this id are in the file, and are deleted in the store. */
  readonly written: number;
  /** Where the next dead letter begins, in bytes; absent if unknown. */
  readonly end?: number | undefined;
}

/** The state of one import in an SQLite file; `:memory:` for one that cannot be resumed. */
export class ImportStore {
  readonly #file: StateFile;

  private constructor(file: StateFile) {
    this.#file = file;
  }

  /**
   * @throws UsageError when the file is corrupt or of another version; StateError when it cannot be
   * written.
   */
  static async open(path: string): Promise<ImportStore> {
    return new ImportStore(await StateFile.open(path, importState));
  }

  /** As `open`, on what is open already. */
  static on(disk: StateDisk, path: string): ImportStore {
    return new ImportStore(StateFile.on(disk, path, importState));
  }

  get path(): string {
    return this.#file.path;
  }

  /** What earlier runs have recorded about the import; undefined for a new one. */
  record(): ImportRecord | undefined {
    const row = this.#file.get('SELECT * FROM import');
    if (!row) return undefined;
    return {
      description: row.description as string,
      seed: row.seed as string,
      selection: row.selection as string,
      credentials: row.credentials as string | null,
    };
  }

  /** What was noted of a file, by its index: there may be too many to have all in memory. */
  file(index: number): Fingerprint | undefined {
    const row = this.#file.get('SELECT * FROM file WHERE position = ?', index);
    return row && toFingerprint(row);
  }

  /** Stores what was noted of files, by their indexes. It is on the disk once `putRecord` has returned. */
  putFiles(files: Iterable<readonly [index: number, file: Fingerprint]>): void {
    this.#file.transaction(() => {
      for (const [index, { path, size, modified, headBytes, headHash }] of files) {
        this.#file.run(
          'INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)',
          ...[index, path, size, modified, headBytes, headHash],
        );
      }
    }, 'later');
  }

  /** Writes the record. Call it after `putFiles`: without a record, the next run notes the files again. */
  putRecord(record: ImportRecord): void {
    this.#file.transaction(() => {
      this.#file.run(
        'INSERT OR REPLACE INTO import VALUES (1, ?, ?, ?, ?)',
        record.description,
        record.seed,
        record.selection,
        record.credentials,
      );
    });
  }

  checkpoint(): Checkpoint {
    const progress = this.#file.get('SELECT open FROM progress');
    return {
      last: this.#lastLines(),
      open: JSON.parse((progress?.open as string | undefined) ?? '[]') as PendingRange[],
    };
  }

  /** Whether any line was read. */
  hasBegun(): boolean {
    return this.#file.get('SELECT 1 FROM last_line LIMIT 1') !== undefined;
  }

  /** The last file of which a line was read, by its index, and the last line that was read of it. */
  lastLine(): { readonly file: number; readonly last: LastLine } | undefined {
    const row = this.#file.get('SELECT * FROM last_line ORDER BY file DESC LIMIT 1');
    return row && { file: Number(row.file), last: toLastLine(row) };
  }

  /** Reads pages: all rows at once would take several times the memory of the result. */
  #lastLines(): CompactLastLines {
    const lines = new CompactLastLines();
    const sql = 'SELECT * FROM last_line WHERE file > ? ORDER BY file LIMIT ?';
    for (let after = -1; ;) {
      const rows = this.#file.all(sql, after, pageRows);
      for (const row of rows) lines.set(Number(row.file), toLastLine(row));
      if (rows.length < pageRows) return lines;
      after = Number(rows.at(-1)!.file);
    }
  }

  counts(): OutcomeCounts {
    const row = this.#file.get('SELECT * FROM progress');
    return {
      delivered: Number(row?.delivered ?? 0),
      rejected: Number(row?.rejected ?? 0),
      failed: Number(row?.failed ?? 0),
      skipped: Number(row?.skipped ?? 0),
      disabled: Number(row?.disabled ?? 0),
      unwanted: Number(row?.unwanted ?? 0),
    };
  }

  isFinished(): boolean {
    return this.#file.get('SELECT finished FROM progress')?.finished === 1;
  }

  /** How many events wait for a retry. */
  retryCount(): number {
    return Number(this.#file.get('SELECT count(*) AS n FROM retry')?.n);
  }

  /** The highest id of a retry so far. */
  lastRetryId(): number {
    return Number(this.#file.get('SELECT max(id) AS n FROM retry')?.n ?? 0);
  }

  /** Retries by due time, the earliest first. */
  earliestRetries(limit: number): RetryRow[] {
    return this.#file.all('SELECT * FROM retry ORDER BY due_at LIMIT ?', limit).map(fromRow);
  }

  /** When the next retry is due after `now`, in milliseconds since 1970; Infinity when there is none. */
  nextDueAfter(now: number): number {
    const row = this.#file.get('SELECT min(due_at) AS at FROM retry WHERE due_at > ?', now);
    return (row?.at as number | null | undefined) ?? Infinity;
  }

  /** The user of each event that waits for a retry. */
  retryUsers(): string[] {
    return this.#file.all('SELECT user FROM retry').map(({ user }) => user as string);
  }

  /** Deletes the retries of the open lines of these ranges. */
  dropRetriesOf(ranges: readonly PendingRange[]): void {
    if (ranges.length === 0) return;
    const sql = 'DELETE FROM retry WHERE file = ? AND line >= ? AND line < ?';
    this.#file.transaction(() => {
      for (const [file, line, , count, done = 0] of ranges) {
        this.#file.run(sql, file, line + done, line + count);
      }
    });
  }

  /** Makes all retries due at once. */
  makeRetriesDue(): void {
    this.#file.transaction(() => this.#file.run('UPDATE retry SET due_at = 0'));
  }

  /**
   * Limits the wait of each retry to its own delay from `now` on, since it would wait longer after the
   * clock was set back. The data about its attempts stays unchanged.
   */
  limitRetryDelays(now: number): void {
    const sql = 'UPDATE retry SET due_at = ? + delay WHERE due_at > ? + delay';
    this.#file.transaction(() => this.#file.run(sql, now, now));
  }

  deadLetters(): StoredDeadLetter[] {
    return this.#file.all('SELECT * FROM dead_letter ORDER BY id').map(({ id, line, offset }) => ({
      id: Number(id),
      line: Buffer.from(line as Uint8Array),
      offset: offset as number | null,
    }));
  }

  commit(
    changes: StateChanges,
    deadLetters: DeadLetterFileState = noDeadLetters,
    onDisk: OnDisk = 'at once',
  ): void {
    this.#file.transaction(() => this.#write(changes, deadLetters), onDisk);
  }

  /** Resolves when all commits are on the disk. @throws StateError */
  flush(): Promise<void> {
    return this.#file.flush();
  }

  /** The same, synchronously. @throws StateError */
  flushNow(): void {
    this.#file.flushNow();
  }

  /** Removes everything but the record of the import and its files. */
  clear(): void {
    this.#file.transaction(() => {
      for (const table of ['progress', 'last_line', 'retry', 'dead_letter'])
        this.#file.run(`DELETE FROM ${table}`);
    });
  }

  close(): void {
    this.#file.close();
  }

  #write(changes: StateChanges, { written, end }: DeadLetterFileState): void {
    const { delivered, rejected, failed, skipped, disabled, unwanted } = changes.counts;
    this.#file.run(
      putProgress,
      JSON.stringify(changes.checkpoint.open),
      ...[delivered, rejected, failed, skipped, disabled, unwanted],
      changes.isFinished ? 1 : 0,
    );
    for (const [file, { line, offset, length, hash = null }] of changes.checkpoint.last)
      this.#file.run(putLastLine, file, line, offset, length, hash);
    for (const id of changes.deleteRetries) this.#file.run('DELETE FROM retry WHERE id = ?', id);
    for (const row of changes.putRetries) this.#file.run(putRetry, ...toValues(row));
    this.#file.run('DELETE FROM dead_letter WHERE id <= ?', written);
    let offset = end;
    for (const line of changes.addDeadLetters) {
      this.#file.run('INSERT INTO dead_letter (line, offset) VALUES (?, ?)', line, offset ?? null);
      if (offset !== undefined) offset += line.length;
    }
  }
}

const noDeadLetters: DeadLetterFileState = { written: 0 };

const pageRows = 1_000;

function toFingerprint(row: Row): Fingerprint {
  return {
    path: row.path as string,
    size: Number(row.size),
    modified: Number(row.modified),
    headBytes: Number(row.head_bytes),
    headHash: row.head_hash as string,
  };
}

function toLastLine(row: Row): LastLine {
  const { line, offset, length } = row;
  return {
    line: Number(line),
    offset: Number(offset),
    length: Number(length),
    ...(row.hash !== null && { hash: row.hash as string }),
  };
}

const putProgress = `INSERT OR REPLACE INTO progress
  (id, open, delivered, rejected, failed, skipped, disabled, unwanted, finished)
  VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`;
const putLastLine = 'INSERT OR REPLACE INTO last_line VALUES (?, ?, ?, ?, ?)';
const putRetry = `INSERT OR REPLACE INTO retry (${retryColumns.join(', ')}) VALUES (${retryColumns.map(() => '?').join(', ')})`;
