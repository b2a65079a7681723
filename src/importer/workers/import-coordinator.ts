import type { Clock } from '../../clock.js';
import type { Range } from '../../sources/range.js';
import type { AttemptLog } from '../../ledger/attempt-log.js';
import type { Committer } from '../../ledger/committer.js';
import { Histogram, sharedCounts } from '../../ledger/histogram.js';
import { retryCodeOf, type RetryRow } from '../../ledger/retry-row.js';
import { noCounts, type OutcomeCounts, type ImportStore } from '../../ledger/store.js';
import type { RunCounts, Summary } from '../../ledger/summary.js';
import { RunStats } from '../../ledger/run-stats.js';
import type { EventAttempt, EventProblem } from '../reported-event.js';
import type { Commit, CommitDetails, ProgressSnapshot } from './messages.js';
import { RangeTracker } from './range-tracker.js';

export interface ImportCoordinatorOptions {
  readonly store: ImportStore;
  readonly committer: Committer;
  /** Path of the dead-letter file, as shown to the user. */
  readonly deadLetterPath: string;
  readonly threads: number;
  readonly log?: AttemptLog | undefined;
  readonly clock: Clock;
  /** The URLs of the target, without queries. */
  readonly urls?: readonly string[];
  readonly onAttempt?: ((attempt: EventAttempt) => void) | undefined;
  readonly onProblem: (problem: EventProblem) => void;
  /** Called when the counts have changed. */
  readonly onCounts?: () => void;
  /** `rows` rows of a thread, counted from its start, are durable. */
  readonly onDurable: (thread: number, rows: number) => void;
  /** Called when nothing can be recorded any more, so that nothing may be sent. */
  readonly onFailure: () => void;
}

/** A commit costs about 0.2 ms plus the disk's time, so it waits this long for reports of other threads. */
const commitAfterMs = 5;

/**
 * The ledger of an import with several threads: makes their reports durable together, in the store that
 * a later run resumes from.
 */
export class ImportCoordinator implements RunCounts {
  readonly #options: ImportCoordinatorOptions;
  readonly #ranges: RangeTracker;
  readonly #stats: RunStats;
  readonly #resumed: boolean;
  /** Events that an earlier run left waiting for a retry, by the thread that now sends them. */
  readonly retries: readonly (readonly RetryRow[])[];
  readonly #threads: readonly ThreadRecord[];
  #uncommitted: CommitDetails[] = [];
  #hasChanged = false;
  #hasReadAll = false;
  /** Whether the threads must wait until the log has room. */
  #isLogFull = false;
  #cancelCommit: (() => void) | undefined;
  #failure: unknown;
  #latestRetry: RetryRow | undefined;

  constructor(options: ImportCoordinatorOptions) {
    const { store, threads, clock, urls } = options;
    const checkpoint = store.checkpoint();
    this.#options = options;
    this.#ranges = new RangeTracker(checkpoint, threads);
    this.#resumed = checkpoint.last.size > 0;
    store.dropRetriesOf(checkpoint.open);
    this.retries = shared(store.earliestRetries(store.retryCount()), threads);
    this.#latestRetry = this.retries[0]?.[0];
    this.#threads = this.retries.map(({ length }) => ({
      latency: sharedCounts(),
      last: { ...atStart, waiting: length },
      isDurable: true,
    }));
    const others = this.#threads.map(({ latency }) => new Histogram(latency));
    this.#stats = new RunStats(clock, store.counts(), { others, urls });
  }

  get waiting(): number {
    return this.#threads.reduce((sum, { last }) => sum + last.waiting, 0);
  }

  get read(): number {
    return this.ended + this.#pending;
  }

  get ended(): number {
    return this.#stats.ended;
  }

  /** Transforms run in the main thread only. */
  readonly eventsPerLine = 1;

  get nextDueAt(): number {
    const { store, clock } = this.#options;
    return store.nextDueAfter(clock.now());
  }

  get retryCode(): string | undefined {
    return this.#latestRetry && retryCodeOf(this.#latestRetry);
  }

  get isReading(): boolean {
    return !this.#hasReadAll || this.#ranges.hasOpenRanges;
  }

  /** Notes that all ranges are assigned. */
  noteReadAll(): void {
    this.#hasReadAll = true;
  }

  get medianMs(): number | null {
    return this.#stats.medianMs;
  }

  get #pending(): number {
    return this.waiting + this.#ranges.openLines;
  }

  count(finalStatus: keyof OutcomeCounts): number {
    return this.#stats.count(finalStatus);
  }

  /** Memory of the histogram of a thread's attempt durations. */
  latency(thread: number): SharedArrayBuffer {
    return this.#threads[thread]!.latency;
  }

  /** Assigns a range to a thread; called in the order of the files. */
  assign(range: Range, thread: number): void {
    this.#ranges.assign(range, thread);
  }

  /** Records the report of a thread; a commit soon makes it durable. */
  accept({ snapshot, ...details }: Commit, thread: number): void {
    this.#note(snapshot, thread);
    this.#uncommitted.push(details);
    this.#latestRetry = details.putRetries.at(-1) ?? this.#latestRetry;
    this.#publish(details);
    this.#options.onCounts?.();
    this.#cancelCommit ??= this.#options.clock.after(commitAfterMs, () => this.commit());
  }

  /** Makes all reports durable; false if there are none. An error goes to `onFailure` and `finish`. */
  commit(isFinished = false): boolean {
    this.#cancelCommit?.();
    this.#cancelCommit = undefined;
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
   * Makes all durable and sums up. `hasReadAll`: whether the inputs were read to their end.
   * @throws StateError when that cannot be written.
   */
  finish(hasReadAll: boolean): Summary {
    const isFinished = hasReadAll && this.#pending === 0;
    this.commit(isFinished);
    // The dead letters of that commit are in their file now: remove them from the store.
    this.#hasChanged = true;
    this.commit(isFinished);
    if (this.#failure !== undefined) throw this.#failure as Error;
    this.#options.committer.close();
    this.#addThreads();
    return this.#stats.summary({
      pending: this.#pending,
      deadLetterPath: this.#options.deadLetterPath,
      resumed: this.#resumed,
    });
  }

  #note(snapshot: ProgressSnapshot, thread: number): void {
    const record = this.#threads[thread]!;
    const { counts, bytes, retries } = record.last;
    record.last = snapshot;
    record.isDurable = false;
    this.#stats.add(
      since(counts, snapshot.counts),
      snapshot.bytes - bytes,
      snapshot.retries - retries,
    );
    this.#ranges.note(thread, snapshot.doneRanges, snapshot.checkpoint);
    this.#hasChanged = true;
  }

  /** What is counted from the start of each thread, and shown only in the summary. */
  #addThreads(): void {
    for (const { last } of this.#threads) {
      for (const { code, count } of last.reasons) this.#stats.reasons.add(code, count);
      this.#stats.urls.add(last.urls);
    }
  }

  #publish({ attempts, shownAttempts, problems }: CommitDetails): void {
    for (const [result, messageId] of attempts) this.#options.log?.write(result, messageId);
    for (const attempt of shownAttempts) this.#options.onAttempt?.(attempt);
    for (const problem of problems) this.#options.onProblem(problem);
  }

  #write(isFinished: boolean): void {
    const details = this.#uncommitted;
    this.#uncommitted = [];
    this.#hasChanged = false;
    this.#options.committer.commit({
      checkpoint: this.#ranges.changes(),
      counts: this.#stats.counts,
      isFinished,
      ...retriesOf(details),
      addDeadLetters: details.flatMap(({ addDeadLetters }) => addDeadLetters),
    });
    this.#ranges.committed();
  }

  /**
   * All that was noted is on the disk, so the threads may send more, as soon as the log has room for
   * the attempts that they will report.
   */
  #settle(): void {
    const room = this.#options.log?.room();
    if (room) {
      this.#settleWith(room);
      return;
    }
    this.#threads.forEach((record, thread) => {
      if (record.isDurable) return;
      record.isDurable = true;
      this.#options.onDurable(thread, record.last.rows);
    });
  }

  #settleWith(room: Promise<void>): void {
    if (this.#isLogFull) return;
    this.#isLogFull = true;
    void room.then(() => {
      this.#isLogFull = false;
      // What was noted meanwhile is not on the disk yet; a commit settles that, too.
      if (this.#failure === undefined && !this.commit()) this.#settle();
    });
  }
}

/** The state of one thread, as far as it was reported. */
interface ThreadRecord {
  readonly latency: SharedArrayBuffer;
  /** From its last report. */
  last: Omit<ProgressSnapshot, 'checkpoint' | 'doneRanges'>;
  isDurable: boolean;
}

const atStart = {
  counts: noCounts,
  bytes: 0,
  rows: 0,
  retries: 0,
  reasons: [],
  urls: [],
};

function since(before: OutcomeCounts, now: OutcomeCounts): OutcomeCounts {
  return {
    delivered: now.delivered - before.delivered,
    rejected: now.rejected - before.rejected,
    failed: now.failed - before.failed,
    skipped: now.skipped - before.skipped,
    disabled: now.disabled - before.disabled,
    unwanted: now.unwanted - before.unwanted,
  };
}

/** A retry may be put and deleted within one group. */
function retriesOf(
  details: readonly CommitDetails[],
): Pick<CommitDetails, 'putRetries' | 'deleteRetries'> {
  const put = new Map<number, RetryRow>();
  const deleted: number[] = [];
  for (const { putRetries, deleteRetries } of details) {
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
