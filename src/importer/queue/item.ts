import type { PendingRange } from '../../ledger/progress.js';
import type { LastLine } from '../../ledger/last-line.js';
import type { RetryRow } from '../../ledger/retry-row.js';

/**
 * Two kinds of items wait in the two BullMQ queues of a run: byte ranges of files, and batches of events
 * that are to be retried.
 */
export type ItemKind = 'ranges' | 'retries';

/** An item that this process holds: its job, and the token of the lock. */
export interface ItemRef {
  readonly run: string;
  readonly kind: ItemKind;
  /** Id of the BullMQ job. */
  readonly id: string;
  /** The lock's value while this process holds the job. */
  readonly token: string;
}

/** Job data of a range: the lines whose first byte is in `[from, to)`. */
export interface RangeItem {
  /** Index in the plan. */
  readonly file: number;
  readonly from: number;
  /** Null: to the end of the file, which is one item. */
  readonly to: number | null;
}

/**
 * Up to 100 events of one range that are to be retried at about the same time. Kept in a hash of the run;
 * the BullMQ job of the same id only says when.
 */
export interface RetryBatch {
  /** When the first of them is due, in milliseconds since 1970 by the clock of the server. */
  readonly dueAt: number;
  /** Times in the rows are by the clock of the server, too. A gzip file's rows have the event's text. */
  readonly rows: readonly RetryRow[];
}

/** How far a range has got; stored as the progress of its BullMQ job. Plain JSON. */
export interface ItemProgress {
  /** Number of commits of the item, from 1. */
  readonly sequence: number;
  /** Of a range: the last line read and the open ones; lines are numbered from 1 at its start. */
  readonly last: LastLine | null;
  readonly open: readonly PendingRange[];
  /** What this item has added to the totals of the run. */
  readonly counts: StatChanges;
  /** Retry batches of the last commit, which may not have their BullMQ jobs yet. */
  readonly handedOn: readonly string[];
}

/** What is stored in one step, or not at all if the lock is lost. */
export interface ItemCommit {
  readonly progress: ItemProgress;
  /** Added to the totals of the run. */
  readonly stats: StatChanges;
  /** Times to responses since the last commit: bucket of the `Histogram` → number. */
  readonly latency: Readonly<Record<number, number>>;
  /** Whole lines, in the format of a dead-letter file with `offset` in place of `line`. */
  readonly deadLetters: readonly Uint8Array[];
  /** By new ids: a batch that is `deleteRetry` of this commit is not put again under its own. */
  readonly putRetries: ReadonlyMap<string, RetryBatch>;
  /** The batch that this item was, once all its events have ended or are in `putRetries`. */
  readonly deleteRetry?: string | undefined;
}

/**
 * `lost`: another process holds the item now, or the server has lost earlier commits. Nothing was stored,
 * and nothing more may be sent for the item.
 */
export type CommitResult = 'stored' | 'lost';

/**
 * Changes of counts by name: `read`-able totals are `delivered`, `rejected`, `failed`, `skipped`, `disabled`
 * (those of `skipped` whose integrations turn the target off), `retrying` (events that wait), `retries`
 * (attempts beyond the first), `bytes` (of delivered events); besides, `reason:<code>`,
 * `url:<index>:delivered` and `url:<index>:failed`.
 */
export type StatChanges = Readonly<Record<string, number>>;
