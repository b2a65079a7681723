import type { Clock } from '../clock.js';
import type { Range } from '../events/range.js';
import type { AttemptLog } from '../ledger/attempt-log.js';
import type { Committer } from '../ledger/committer.js';
import type { RetryRow } from '../ledger/retry-row.js';
import type { Counts, ImportStore } from '../ledger/store.js';
import type { RunCounts, Summary } from '../ledger/summary.js';
import { Tally } from '../ledger/tally.js';
import type { Commit, TaggedAttempt, Trouble } from './messages.js';
import { RangeBook } from './range-book.js';

export interface KeeperOptions {
  readonly store: ImportStore;
  readonly committer: Committer;
  /** Where dead letters go, for people. */
  readonly letterPath: string;
  /** How many inputs there are. */
  readonly files: number;
  readonly threads: number;
  readonly log?: AttemptLog | undefined;
  readonly clock: Clock;
  readonly onAttempt?: ((...attempt: TaggedAttempt) => void) | undefined;
  readonly onTrouble: (trouble: Trouble) => void;
  /** So many rows of a thread are on disk. */
  readonly onDurable: (thread: number, rows: number) => void;
  /** Nothing can be recorded any more: nothing may be sent. */
  readonly onFailure: () => void;
}

/**
 * Commits of the threads are put together: at most so many rows, or so long after the first, which has
 * waited in its thread before.
 */
const groupRows = 500;
const groupMs = 2;

const none: Counts = { delivered: 0, rejected: 0, failed: 0, skipped: 0 };

/**
 * The ledger of an import that several threads work on: what they tell is made durable together, in the
 * store that a later run goes on from.
 */
export class Keeper implements RunCounts {
  readonly #options: KeeperOptions;
  readonly #ranges: RangeBook;
  readonly #tally: Tally;
  readonly #resumed: boolean;
  /** Events that wait for a retry since an earlier run, by the thread that takes them over. */
  readonly retries: readonly (readonly RetryRow[])[];
  /** The last commit of each thread. */
  readonly #last: (Commit | undefined)[];
  #gathered: (readonly [thread: number, commit: Commit])[] = [];
  #gatheredRows = 0;
  #waiting: number;
  #cancelCommit: (() => void) | undefined;
  #failure: unknown;

  constructor(options: KeeperOptions) {
    const { store, files, threads } = options;
    const place = store.place();
    this.#options = options;
    this.#ranges = new RangeBook(files, place, threads);
    this.#tally = new Tally(store.counts());
    this.#last = Array.from({ length: threads }, () => undefined);
    this.#resumed = place.last.some((last) => last !== null);
    store.dropRetriesOf(place.open);
    this.#waiting = store.retryCount();
    this.retries = shared(store.earliestRetries(this.#waiting), threads);
  }

  get waiting(): number {
    return this.#waiting;
  }

  get read(): number {
    return this.#tally.ended + this.#pending;
  }

  get medianMs(): number | null {
    return this.#tally.medianMs;
  }

  get #pending(): number {
    return this.#waiting + this.#ranges.openLines;
  }

  count(fate: keyof Counts): number {
    return this.#tally.count(fate);
  }

  /** A thread is given a range; in the order of the files. */
  give(range: Range, thread: number): void {
    this.#ranges.give(range, thread);
  }

  /** Records what a thread tells. */
  take(commit: Commit, thread: number): void {
    this.#note(commit, thread);
    this.#gathered.push([thread, commit]);
    this.#gatheredRows += commit.rows;
    if (this.#gatheredRows >= groupRows) this.commit();
    else this.#cancelCommit ??= this.#options.clock.after(groupMs, () => this.commit());
  }

  /** Makes durable what was told so far. Errors are kept in `failure`. */
  commit(isFinished = false): void {
    this.#cancelCommit?.();
    this.#cancelCommit = undefined;
    if (this.#failure !== undefined) return;
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#gatheredRows = 0;
    try {
      this.#write(
        gathered.map(([, commit]) => commit),
        isFinished,
      );
    } catch (error) {
      this.#failure = error;
      this.#options.onFailure();
      return;
    }
    for (const [thread, { rows }] of gathered) this.#options.onDurable(thread, rows);
  }

  /**
   * Makes all durable and sums up. `hasReadAll` tells whether the inputs came to their end.
   * @throws StateError when that cannot be written.
   */
  async finish(hasReadAll: boolean): Promise<Summary> {
    const isFinished = hasReadAll && this.#pending === 0;
    this.commit(isFinished);
    // The letters of that commit are in their file now, and need not stand in the store.
    this.commit(isFinished);
    if (this.#failure !== undefined) throw this.#failure as Error;
    this.#options.committer.close();
    await this.#options.log?.close();
    return this.#tally.summary({
      pending: this.#pending,
      deadLetterPath: this.#options.letterPath,
      resumed: this.#resumed,
    });
  }

  #note(commit: Commit, thread: number): void {
    const before = this.#last[thread];
    this.#last[thread] = commit;
    this.#ranges.note(thread, commit.doneRanges, commit.place);
    this.#tally.add(
      since(before?.counts ?? none, commit.counts),
      commit.bytes - (before?.bytes ?? 0),
    );
    this.#tally.attempts(commit.durationsMs, commit.retries);
    this.#waiting += commit.waiting - (before?.waiting ?? this.retries[thread]!.length);
    for (const [result, messageId] of commit.attempts) {
      this.#options.log?.write(result, messageId);
      this.#options.onAttempt?.(result, messageId);
    }
    for (const trouble of commit.troubles) this.#options.onTrouble(trouble);
  }

  #write(commits: readonly Commit[], isFinished: boolean): void {
    this.#options.committer.commit({
      place: this.#ranges.place(),
      counts: this.#tally.counts,
      isFinished,
      ...retriesOf(commits),
      addLetters: commits.flatMap(({ addLetters }) => addLetters),
    });
  }
}

/** An event may have been put to wait and have ended within one group. */
function retriesOf(commits: readonly Commit[]): Pick<Commit, 'putRetries' | 'deleteRetries'> {
  const put = new Map<number, RetryRow>();
  const deleted: number[] = [];
  for (const { putRetries, deleteRetries } of commits) {
    for (const id of deleteRetries) put.delete(id);
    for (const row of putRetries) put.set(row.id, row);
    deleted.push(...deleteRetries);
  }
  return { putRetries: [...put.values()], deleteRetries: deleted };
}

function shared(rows: readonly RetryRow[], threads: number): RetryRow[][] {
  const shares: RetryRow[][] = Array.from({ length: threads }, () => []);
  rows.forEach((row, i) => shares[i % threads]!.push(row));
  return shares;
}

function since(before: Counts, now: Counts): Counts {
  return {
    delivered: now.delivered - before.delivered,
    rejected: now.rejected - before.rejected,
    failed: now.failed - before.failed,
    skipped: now.skipped - before.skipped,
  };
}
