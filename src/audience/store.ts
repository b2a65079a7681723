import { randomUUID } from 'node:crypto';
import type { Problem } from '../events/event.js';
import { stateOfRun } from '../ledger/state-use.js';
import type { Row as SqlRow } from '../storage/sqlite.js';
import { StateFile } from '../storage/state-file.js';
import type { Change } from './identify.js';
import { isMember, isNoMember, type Row } from './row.js';
import { applyChanges, layout, planChanges, planRemovals, staging } from './schema.js';

/** What is being sent: the changes between a list and the values sent before. */
export interface Plan {
  /** Unique among all plans of all states. */
  readonly name: string;
  /** The list that it was created from. */
  readonly file: string;
  /** When it was created: ISO 8601, the timestamp of its events. */
  readonly madeAt: string;
  /** Changes and problems. */
  readonly size: number;
}

/** A change with its position in a plan, from 1. */
export interface PlannedChange extends Change {
  readonly line: number;
  /** The value sent before; undefined for a new user. */
  readonly before: Buffer | undefined;
}

/** The result of comparing a list with the values sent before. */
export interface Comparison {
  /** Users in the list, without those with different values in it. */
  readonly users: number;
  /** Users who were never sent before. */
  readonly fresh: number;
  /** Users in the list who were last sent another value; in a list of members: those who have rejoined. */
  readonly changed: number;
  readonly left: number;
  /** Users whose last change failed and is sent again. */
  readonly resent: number;
  /** Users in the list for whom nothing is sent. */
  readonly unchanged: number;
  /** Members not found in the list whose removal is not sent, since some of the list is unreadable. */
  readonly withheld: number;
  /** Invalid lines, and lines with another value for a user than an earlier line. */
  readonly rejected: number;
  /** Lines with the same user and value as an earlier line. */
  readonly repeated: number;
}

export interface PlanOptions {
  readonly file: string;
  /** ISO 8601. */
  readonly madeAt: string;
  /** Whether users who are not in the list have left. */
  readonly removals: 'none' | 'withheld' | 'sent';
}

/**
 * The state of an audience in an SQLite file: the value last sent of each user, and the plan being sent.
 * Lists are compared in the database, so that memory does not grow with their size.
 */
export class AudienceStore {
  readonly #file: StateFile;
  readonly #stateId: string;
  readonly seed: string;
  /** Lines of the staged list that repeat an earlier one. */
  #repeated = 0;

  private constructor(file: StateFile, stateId: string, seed: string) {
    this.#file = file;
    this.#stateId = stateId;
    this.seed = seed;
  }

  /**
   * `seed` is stored in a new state, and ignored for an existing one.
   * @throws UsageError when the file is damaged or of another version; StateError when it cannot be
   * written.
   */
  static async open(path: string, seed = ''): Promise<AudienceStore> {
    const file = await StateFile.open(path, stateOfRun('audience', layout));
    try {
      file.transaction(() => {
        const sql = 'INSERT OR IGNORE INTO audience (id, state_id, seed) VALUES (1, ?, ?)';
        file.run(sql, randomUUID(), seed);
      });
      file.exec(staging);
      file.exec(`PRAGMA cache_size = ${cacheSize}; PRAGMA temp.cache_size = ${cacheSize}`);
      const known = file.get('SELECT state_id, seed FROM audience')!;
      return new AudienceStore(file, known.state_id as string, known.seed as string);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  get path(): string {
    return this.#file.path;
  }

  /**
   * Stores a hash of the secrets and header values; null without any. Returns whether it has changed since something
   * was sent or planned.
   */
  noteCredentials(credentials: string | null): boolean {
    const before = this.#file.get('SELECT credentials FROM audience')?.credentials;
    if (before === credentials) return false;
    this.#file.transaction(() => {
      this.#file.run('UPDATE audience SET credentials = ?', credentials);
    });
    const sql = 'SELECT 1 FROM member UNION ALL SELECT 1 FROM change LIMIT 1';
    return this.#file.get(sql) !== undefined;
  }

  /**
   * Adds rows of the list. A user may be repeated with the same value; a line with another value is a
   * problem, and nothing is sent for the user.
   */
  stage(items: readonly (Row | Problem)[]): void {
    this.#file.transaction(() => {
      for (const item of items) {
        if ('code' in item) this.#stageProblem(item);
        else if (!this.#stageRow(item)) this.#stageDuplicate(item);
      }
    });
  }

  /** How many users the staged list has, without those with different values in it. */
  stagedUsers(): number {
    return this.#count('staged WHERE NOT is_conflicting');
  }

  /** Whether a problem of the staged list may hide a user. */
  hasUnreadableLines(): boolean {
    return this.#count('staged_problem') > 0;
  }

  /** How many users are members, or will be when the current plan has ended. */
  members(): number {
    return (
      this.#count('member WHERE value = ? AND user NOT IN (SELECT user FROM change)', isMember) +
      this.#count('change WHERE value = ?', isMember)
    );
  }

  /** The plan being sent. */
  plan(): Plan | undefined {
    const row = this.#file.get('SELECT * FROM plan');
    return (
      row && {
        name: `${this.#stateId} ${Number(row.number)}`,
        file: row.file as string,
        madeAt: row.made_at as string,
        size: this.#count('change') + this.#count('problem'),
      }
    );
  }

  /** Makes a plan of the changes in the staged list; durable when it returns. There must be no other plan. */
  makePlan({ file, madeAt, removals }: PlanOptions): Comparison {
    let comparison: Comparison | undefined;
    this.#file.transaction(() => {
      this.#file.run('INSERT INTO plan (file, made_at) VALUES (?, ?)', file, madeAt);
      this.#file.run('INSERT INTO problem SELECT * FROM staged_problem');
      this.#file.run(planChanges);
      const listed = this.#countChanges();
      if (removals === 'sent') this.#file.run(planRemovals, isNoMember);
      const all = this.#countChanges();
      const users = this.stagedUsers();
      comparison = {
        users,
        fresh: listed.fresh,
        changed: listed.changed,
        left: all.changed - listed.changed,
        resent: all.resent,
        unchanged: users - listed.fresh - listed.changed - listed.resent,
        withheld: removals === 'withheld' ? this.#absentMembers() : 0,
        rejected: this.#count('problem'),
        repeated: this.#repeated,
      };
    });
    return comparison!;
  }

  /** Changes of the plan after a line, in order. */
  changes(after: number, limit: number): PlannedChange[] {
    const sql = 'SELECT * FROM change WHERE line > ? ORDER BY line LIMIT ?';
    return this.#file.all(sql, after, limit).map(toChange);
  }

  /** Invalid lines of the list after a line. */
  problems(after: number, limit: number, file: string): Problem[] {
    const sql = 'SELECT * FROM problem WHERE line > ? ORDER BY line LIMIT ?';
    return this.#file.all(sql, after, limit).map((row) => toProblem(row, file));
  }

  /** Marks changes of the plan as failed: a later list sends them again. */
  markFailed(lines: readonly number[]): void {
    this.#file.transaction(() => {
      for (const line of lines) {
        this.#file.run('UPDATE change SET is_failed = 1 WHERE line = ?', line);
      }
    });
  }

  /** Applies the changes of the plan, all of which have ended, and deletes the plan. */
  applyPlan(): void {
    this.#file.transaction(() => {
      this.#file.run(applyChanges);
      for (const table of ['change', 'problem', 'plan']) this.#file.run(`DELETE FROM ${table}`);
    });
  }

  close(): void {
    this.#file.close();
  }

  #stageRow({ user, id, value, origin }: Row): boolean {
    const sql = 'INSERT OR IGNORE INTO staged (user, id, value, line) VALUES (?, ?, ?, ?)';
    return this.#file.run(sql, user, id, value, origin.line) > 0;
  }

  #stageProblem({ origin, code, message, bytes, isJson }: Problem): void {
    this.#file.run(
      'INSERT INTO staged_problem VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[origin.line, origin.offset, origin.length, code, message, bytes, isJson ? 1 : 0],
    );
  }

  #stageDuplicate({ user, value, origin, bytes, isJson }: Row): void {
    const first = this.#file.get('SELECT line, value FROM staged WHERE user = ?', user)!;
    if (value.equals(first.value as Uint8Array)) {
      this.#repeated++;
      return;
    }
    this.#file.run('UPDATE staged SET is_conflicting = 1 WHERE user = ?', user);
    const message = `line ${Number(first.line)} has a different value for this user; keep one of them`;
    this.#stageProblem({ code: 'different_values', message, origin, bytes, isJson });
  }

  #countChanges(): Pick<Comparison, 'fresh' | 'changed' | 'resent'> {
    const row = this.#file.get(
      `SELECT count(*) FILTER (WHERE before IS NULL) AS fresh,
         count(*) FILTER (WHERE before <> value) AS changed,
         count(*) FILTER (WHERE before = value) AS resent FROM change`,
    )!;
    return {
      fresh: Number(row.fresh),
      changed: Number(row.changed),
      resent: Number(row.resent),
    };
  }

  #absentMembers(): number {
    return this.#count(
      'member WHERE value = ? AND user NOT IN (SELECT user FROM staged)',
      isMember,
    );
  }

  #count(what: string, ...values: Buffer[]): number {
    const sql = `SELECT count(*) AS n FROM ${what}`;
    return Number(this.#file.get(sql, ...values)!.n);
  }
}

/** 32 MB, as SQLite expects it (negative KiB); the rest is on disk. */
const cacheSize = -32_768;

function toChange(row: SqlRow): PlannedChange {
  return {
    line: Number(row.line),
    user: Buffer.from(row.user as Uint8Array),
    id: Buffer.from(row.id as Uint8Array),
    value: Buffer.from(row.value as Uint8Array),
    before: row.before === null ? undefined : Buffer.from(row.before as Uint8Array),
    number: Number(row.number),
  };
}

function toProblem(row: SqlRow, file: string): Problem {
  return {
    code: row.code as string,
    message: row.message as string,
    origin: {
      file,
      line: Number(row.line),
      offset: Number(row.offset),
      length: Number(row.length),
    },
    bytes: Buffer.from(row.bytes as Uint8Array),
    isJson: row.is_json === 1,
  };
}
