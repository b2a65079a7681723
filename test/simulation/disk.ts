import {
  openDatabase,
  type Database,
  type SqlValue,
  type Statement,
} from '../../src/storage/sqlite.js';
import type { StateDisk } from '../../src/storage/state-file.js';
import type { ProcessClock } from './clock.js';

/** What the reserve gives back, in commits. */
const reservedCommits = 64;

/** What goes wrong, decided anew at each commit and flush. */
export interface DiskFaults {
  /** Nothing can be written, but what the reserve has left. */
  isFull: boolean;
  /** So many commits fail. */
  failingCommits: number;
  /** So many flushes fail. */
  failingFlushes: number;
  /** Power is cut in the middle of the next flush. */
  cutsPower: (() => void) | undefined;
}

/**
 * A disk with one SQLite database, which stays when a process ends. Commits survive the end of a process at
 * once, and a power cut when they are flushed: until then, they are parts of one open transaction.
 */
export class SimulatedDisk {
  /** How long a flush takes. */
  flushMs = 4;
  readonly faults: DiskFaults = {
    isFull: false,
    failingCommits: 0,
    failingFlushes: 0,
    cutsPower: undefined,
  };
  readonly #database: Database;
  #isOpen = false;
  #left = 0;
  #isReserved = false;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async create(): Promise<SimulatedDisk> {
    return new SimulatedDisk(await openDatabase(':memory:'));
  }

  close(): void {
    this.#database.close();
  }

  /** What a process sees, until `isAlive` says no. */
  for(clock: ProcessClock, isAlive: () => boolean): StateDisk {
    const assertAlive = (): void => {
      if (!isAlive()) throw new Error('the process has ended');
    };
    return {
      database: new ProcessDatabase(this, assertAlive),
      isRemoved: () => false,
      log: {
        sync: () => this.#sync(clock, isAlive),
        syncNow: () => this.#flush(),
        close: () => undefined,
      },
    };
  }

  /** Space for the outcomes of what is in flight. */
  readonly reserve = {
    hold: (): void => {
      if (this.#isReserved) return;
      if (this.faults.isFull) throw diskFull();
      this.#isReserved = true;
    },
    release: (): void => {
      if (this.#isReserved) this.#left = reservedCommits;
      this.#isReserved = false;
    },
  };

  /** What was not flushed is lost. */
  cutPower(): void {
    if (this.#isOpen) this.#database.exec('ROLLBACK');
    this.#isOpen = false;
  }

  prepare(sql: string): Statement {
    return this.#database.prepare(sql);
  }

  begin(): void {
    if (!this.#isOpen) this.#database.exec('BEGIN');
    this.#isOpen = true;
    this.#database.exec('SAVEPOINT part');
  }

  commit(isFlushed: boolean): void {
    if (this.#fails()) throw diskFull();
    this.#database.exec('RELEASE part');
    if (isFlushed) this.#flush();
  }

  rollBack(): void {
    this.#database.exec('ROLLBACK TO part');
    this.#database.exec('RELEASE part');
  }

  /** As `PRAGMA wal_checkpoint` does: everything is written to the database file and synced. */
  checkpoint(): void {
    if (this.#fails()) throw diskFull();
    this.#flush();
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  #fails(): boolean {
    const { faults } = this;
    if (faults.failingCommits > 0) {
      faults.failingCommits--;
      return true;
    }
    return faults.isFull && this.#left-- <= 0;
  }

  #flush(): void {
    if (this.#isOpen) this.#database.exec('COMMIT');
    this.#isOpen = false;
  }

  #sync(clock: ProcessClock, isAlive: () => boolean): Promise<void> {
    const { faults } = this;
    const { cutsPower } = faults;
    faults.cutsPower = undefined;
    return new Promise((resolve, reject) => {
      const flushed = (): void => {
        if (!isAlive()) return;
        if (cutsPower) cutsPower();
        else if (faults.failingFlushes > 0) {
          faults.failingFlushes--;
          reject(Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fdatasync' }));
        } else {
          this.#flush();
          resolve();
        }
      };
      clock.after(this.flushMs, flushed, { keepsAlive: false });
    });
  }
}

/** The database as one process uses it. */
class ProcessDatabase implements Database {
  readonly #disk: SimulatedDisk;
  readonly #assertAlive: () => void;
  #isFlushed = true;

  constructor(disk: SimulatedDisk, assertAlive: () => void) {
    this.#disk = disk;
    this.#assertAlive = assertAlive;
  }

  exec(sql: string): void {
    this.#assertAlive();
    const disk = this.#disk;
    if (sql === 'BEGIN IMMEDIATE') disk.begin();
    else if (sql === 'COMMIT') disk.commit(this.#isFlushed);
    else if (sql === 'ROLLBACK') disk.rollBack();
    else if (sql.startsWith('PRAGMA synchronous')) this.#isFlushed = sql.endsWith('FULL');
    else if (sql.startsWith('PRAGMA wal_checkpoint')) disk.checkpoint();
    else if (!isOfTheFile(sql)) disk.exec(sql);
  }

  prepare(sql: string): Statement {
    const statement = this.#disk.prepare(sql);
    const assertAlive = this.#assertAlive;
    const checked =
      <T>(call: (...values: SqlValue[]) => T) =>
      (...values: SqlValue[]): T => {
        assertAlive();
        return call(...values);
      };
    return {
      run: checked((...values) => statement.run(...values)),
      get: checked((...values) => statement.get(...values)),
      all: checked((...values) => statement.all(...values)),
    };
  }

  close(): void {
    this.#assertAlive();
  }
}

/** Pragmas about locks and logs of files, which a database in memory does not have. */
function isOfTheFile(sql: string): boolean {
  return /^PRAGMA (locking_mode|journal_mode|journal_size_limit)/.test(sql);
}

function diskFull(): Error {
  return Object.assign(new Error('database or disk is full'), {
    code: 'ERR_SQLITE_ERROR',
    errcode: 13,
  });
}
