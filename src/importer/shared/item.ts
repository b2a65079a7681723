import type { PendingRange } from '../../ledger/progress.js';
import type { LastLine } from '../../ledger/last-line.js';
import type { HeldJob } from '../../store/postgres/held-jobs.js';
import type { RetryRow } from '../../ledger/retry-row.js';

/**
 * Two kinds of items wait in the two queues of a run: parts of files, and batches of events that are to be
 * retried.
 */
export type ItemKind = 'ranges' | 'retries';

/** An item that this process holds. */
export interface ItemRef {
  readonly run: string;
  readonly kind: ItemKind;
  /** Unique in the run. */
  readonly id: string;
  readonly job: HeldJob;
}

/** An item as it was taken. */
export interface TakenItem {
  readonly ref: ItemRef;
  /** Of a part. */
  readonly range: RangeItem | undefined;
  readonly progress: ItemProgress | undefined;
  /** How often it was taken from a process that did not respond, since its last commit. */
  readonly takeovers: number;
}

/** A part of a file: the lines whose first byte is in `[from, to)`; of Parquet the rows, from 0. */
export interface RangeItem {
  /** Index in the plan. */
  readonly file: number;
  readonly from: number;
  /** Null: to the end of the file, which is one item. */
  readonly to: number | null;
}

/**
 * Up to 100 events of one part that are to be retried at about the same time. The job of the batch only
 * says when.
 */
export interface RetryBatch {
  /** When the first of them is due, in milliseconds since 1970 by the clock of the server. */
  readonly dueAt: number;
  /** Times in the rows are by the clock of the server, too. A gzip file's rows have the event's text. */
  readonly rows: readonly RetryRow[];
}

/** How far an item has got. Plain JSON. */
export interface ItemProgress {
  /** Number of commits of the item, from 1. */
  readonly sequence: number;
  /** Of a range: the last line read and the open ones; lines are numbered from 1 at its start, rows at that of the file. */
  readonly last: LastLine | null;
  readonly open: readonly PendingRange[];
  /** What this item has added to the totals of the run. */
  readonly counts: StatChanges;
}

/** What is stored in one transaction, or not at all if the item is lost. */
export interface ItemCommit {
  readonly progress: ItemProgress;
  /** Added to the totals of the run. */
  readonly stats: StatChanges;
  /**
   * Durations of responses that no commit before has: bucket of the `Histogram` → number. Most commits have none, see
   * `ItemCommitter`.
   */
  readonly latency: Readonly<Record<number, number>>;
  /** Whole lines, in the format of a dead-letter file with `offset` in place of `line`. */
  readonly deadLetters: readonly Uint8Array[];
  /** By new ids: a batch that is `deleteRetry` of this commit is not put again under its own. */
  readonly putRetries: ReadonlyMap<string, RetryBatch>;
  /** The batch that this item was, once all its events have ended or are in `putRetries`. */
  readonly deleteRetry?: string | undefined;
}

/**
 * `lost`: another process may hold the item now. Nothing was stored, and nothing more may be sent for it.
 */
export type CommitResult = 'stored' | 'lost';

/**
 * Changes of counts by name: `read`-able totals are `delivered`, `rejected`, `failed`, `skipped`, `disabled`
 * (those of `skipped` whose integrations turn the target off), `unwanted` (those of `skipped` that no URL wants),
 * `retrying` (events that wait), `retries`
 * (attempts beyond the first), `bytes` (of delivered events); besides, `reason:<code>`,
 * `url:<index>:delivered` and `url:<index>:failed`.
 */
export type StatChanges = Readonly<Record<string, number>>;
