import type { Clock } from '../clock.js';
import type { Range } from '../events/range.js';
import type { AttemptLog } from '../ledger/attempt-log.js';
import type { Committer } from '../ledger/committer.js';
import { Histogram } from '../ledger/histogram.js';
import type { RetryRow } from '../ledger/retry-row.js';
import type { Counts, ImportStore } from '../ledger/store.js';
import type { RunCounts, Summary } from '../ledger/summary.js';
import { Tally } from '../ledger/tally.js';
import { Desk } from './desk.js';
import type { Commit, News, TaggedAttempt, ThreadMemory, Trouble } from './messages.js';
import { RangeBook } from './range-book.js';
import type { Standing } from './standing.js';
import { sharedRows, Uncommitted } from './uncommitted.js';

export interface KeeperOptions {
  readonly store: ImportStore;
  readonly committer: Committer;
  /** Where dead letters go, for people. */
  readonly letterPath: string;
  readonly threads: number;
  readonly log?: AttemptLog | undefined;
  readonly clock: Clock;
  readonly onAttempt?: ((...attempt: TaggedAttempt) => void) | undefined;
  readonly onTrouble: (trouble: Trouble) => void;
  /** A thread has waited for rows to become durable, and some have. */
  readonly onRoom: (thread: number) => void;
  /** Nothing can be recorded any more: nothing may be sent. */
  readonly onFailure: () => void;
}

/**
 * How often it looks at what the threads have come to, unless one of them asks. A look that finds
 * something costs about 0.2 ms with the commit, and whatever the disk takes.
 */
const lookMs = 5;
/** While nothing changes, as when all wait for retries, it looks less and less often. */
const longestLookMs = 500;

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
  readonly #uncommitted: Uncommitted;
  readonly #desks: readonly Desk[];
  #news: News[] = [];
  #hasChanged = false;
  /** The threads are held back until the log has room. */
  #isLogFull = false;
  #cancelLook: (() => void) | undefined;
  #lookMs = lookMs;
  #failure: unknown;

  constructor(options: KeeperOptions) {
    const { store, threads, clock } = options;
    const place = store.place();
    this.#options = options;
    this.#ranges = new RangeBook(place, threads);
    this.#resumed = place.last.size > 0;
    store.dropRetriesOf(place.open);
    this.retries = shared(store.earliestRetries(store.retryCount()), threads);
    const rows = sharedRows(threads);
    this.#uncommitted = new Uncommitted(rows);
    this.#desks = this.retries.map(({ length }) => new Desk(rows, length));
    const latencies = this.#desks.map(({ memory }) => new Histogram(memory.latency));
    this.#tally = new Tally(clock, store.counts(), latencies);
  }

  get waiting(): number {
    return this.#desks.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get read(): number {
    return this.#tally.ended + this.#pending;
  }

  get medianMs(): number | null {
    return this.#tally.medianMs;
  }

  get #pending(): number {
    return this.waiting + this.#ranges.openLines;
  }

  count(fate: keyof Counts): number {
    return this.#tally.count(fate);
  }

  /** What a thread is to share with it. */
  memory(thread: number): ThreadMemory {
    return this.#desks[thread]!.memory;
  }

  /** A thread is given a range; in the order of the files. */
  give(range: Range, thread: number): void {
    this.#ranges.give(range, thread);
  }

  /** Records what a thread tells by message. */
  take({ standing, ...news }: Commit, thread: number): void {
    for (const next of this.#desks[thread]!.hear(standing)) this.#note(next, thread);
    this.#news.push(news);
    this.#lookSoon();
    this.#tellOf(news);
  }

  /** Commits again and again what the threads tell, until `rest`. */
  watch(): void {
    this.#cancelLook = this.#options.clock.after(this.#lookMs, () => {
      const hasChanged = this.commit();
      this.#lookMs = hasChanged ? lookMs : Math.min(this.#lookMs * 2, longestLookMs);
      this.watch();
    });
  }

  /** Makes durable what was told so far, and looks no more by itself. */
  rest(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    this.commit();
  }

  /** A thread waits for rows to become durable. What it waits for may follow its message. */
  hurry(): void {
    if (!this.commit()) this.#lookSoon();
  }

  /** Makes durable what was told so far; false where that was nothing. Errors are kept in `failure`. */
  commit(isFinished = false): boolean {
    this.#uncommitted.hurried();
    this.#look();
    if (this.#failure !== undefined || !(this.#hasChanged || isFinished)) return false;
    try {
      this.#write(isFinished);
    } catch (error) {
      this.#failure = error;
      this.#options.onFailure();
      return true;
    }
    this.#settle();
    return true;
  }

  /**
   * Makes all durable and sums up. `hasReadAll` tells whether the inputs came to their end.
   * @throws StateError when that cannot be written.
   */
  finish(hasReadAll: boolean): Summary {
    this.#look();
    const isFinished = hasReadAll && this.#pending === 0;
    this.commit(isFinished);
    // The letters of that commit are in their file now, and need not stand in the store.
    this.#hasChanged = true;
    this.commit(isFinished);
    if (this.#failure !== undefined) throw this.#failure as Error;
    this.#options.committer.close();
    return this.#tally.summary({
      pending: this.#pending,
      deadLetterPath: this.#options.letterPath,
      resumed: this.#resumed,
    });
  }

  #lookSoon(): void {
    if (this.#lookMs === lookMs || !this.#cancelLook) return;
    this.#cancelLook();
    this.#lookMs = lookMs;
    this.watch();
  }

  /** At the newest standing of each thread. */
  #look(): void {
    this.#desks.forEach((desk, thread) => {
      const standing = desk.look();
      if (standing) this.#note(standing, thread);
    });
  }

  #note(standing: Standing, thread: number): void {
    const { counts, bytes, retries } = this.#desks[thread]!.note(standing);
    this.#tally.add(counts, bytes, retries);
    this.#ranges.note(thread, standing.doneRanges, standing.place);
    this.#hasChanged = true;
  }

  #tellOf({ attempts, troubles }: News): void {
    for (const [result, messageId] of attempts) {
      this.#options.log?.write(result, messageId);
      this.#options.onAttempt?.(result, messageId);
    }
    for (const trouble of troubles) this.#options.onTrouble(trouble);
  }

  #write(isFinished: boolean): void {
    const news = this.#news;
    this.#news = [];
    this.#hasChanged = false;
    this.#options.committer.commit({
      place: this.#ranges.changes(),
      counts: this.#tally.counts,
      isFinished,
      ...retriesOf(news),
      addLetters: news.flatMap(({ addLetters }) => addLetters),
    });
    this.#ranges.committed();
  }

  /**
   * All that was noted is on the disk, so the threads may send more; but not while the log has no room
   * for what they would tell.
   */
  #settle(): void {
    const room = this.#options.log?.room();
    if (room) {
      this.#settleWith(room);
      return;
    }
    for (const desk of this.#desks) this.#uncommitted.add(-desk.settle());
    this.#desks.forEach((_desk, thread) => {
      if (this.#uncommitted.takeWaiting(thread)) this.#options.onRoom(thread);
    });
  }

  #settleWith(room: Promise<void>): void {
    if (this.#isLogFull) return;
    this.#isLogFull = true;
    void room.then(() => {
      this.#isLogFull = false;
      // What was noted meanwhile is not on the disk yet; a commit settles all.
      if (this.#failure === undefined && !this.commit()) this.#settle();
    });
  }
}

/** An event may have been put to wait and have ended within one group. */
function retriesOf(news: readonly News[]): Pick<News, 'putRetries' | 'deleteRetries'> {
  const put = new Map<number, RetryRow>();
  const deleted: number[] = [];
  for (const { putRetries, deleteRetries } of news) {
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
