import type { TargetSettings } from '../../config/open-target.js';
import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type { AttemptResult, FinalStatus } from '../../delivery/outcome.js';
import type { Range } from '../../input/range.js';
import type { Selection } from '../../events/select.js';
import type { StampOptions } from '../../events/stamp.js';
import type { Checkpoint } from '../../ledger/progress.js';
import type { RetryRow } from '../../ledger/retry-row.js';
import type { StateChanges, OutcomeCounts } from '../../ledger/store.js';
import type { ThreadCheckpoint } from './range-tracker.js';

/** What a worker thread needs to know of an import; plain data, for it is copied. */
export interface Job {
  /** Names of the inputs, in their order. */
  readonly files: readonly string[];
  /** Whether the lines of a file can be read again at their place, by its index. */
  readonly canReread: readonly boolean[];
  /** Where earlier runs have come to: it tells which lines are left. */
  readonly checkpoint: Checkpoint;
  readonly settings: TargetSettings;
  /** This thread's share of the requests in flight. */
  readonly concurrency: number;
  /** Of `Histogram`, shared with the main thread: how long the attempts of this thread took. */
  readonly latency: SharedArrayBuffer;
  /** This thread's share of the rows that a crash may undo. */
  readonly maxUncommitted: number;
  readonly selection: Selection;
  readonly stamp: Omit<StampOptions, 'now'>;
  /** This thread's share of `--rate`, in events a second. */
  readonly rate: number | undefined;
  /** The waiting events that this thread takes over from earlier runs. */
  readonly retries: readonly RetryRow[];
  readonly retryIds: { readonly last: number; readonly step: number };
  /** Whether every attempt is to be told, for `--log` and `--verbose`. */
  readonly reportsAttempts: boolean;
}

/** To a worker thread. */
export type WorkerCommand =
  | { readonly kind: 'range'; readonly range: Range }
  /** No more ranges will come. */
  | { readonly kind: 'end' }
  /** Send nothing new, and end. */
  | { readonly kind: 'stop' }
  /** So many of the rows that it has told of are durable, counted from its beginning. */
  | { readonly kind: 'durable'; readonly rows: number }
  /** What another thread has learnt of a URL, by its position. */
  | { readonly kind: 'learn'; readonly queue: number; readonly notice: EndpointNotice };

/** From a worker thread. */
export type WorkerReport =
  /** It can take one more range. */
  | { readonly kind: 'want' }
  | ({ readonly kind: 'commit' } & Commit)
  | { readonly kind: 'notice'; readonly queue: number; readonly notice: EndpointNotice }
  | { readonly kind: 'down'; readonly url: string; readonly isDown: boolean }
  /** All that it took is told. */
  | { readonly kind: 'ended'; readonly failure: WorkerFailure | undefined };

/** What a thread has to be made durable. */
export interface Commit extends CommitDetails {
  readonly snapshot: ProgressSnapshot;
}

/** The progress of a thread, counted from its beginning. */
export interface ProgressSnapshot {
  readonly checkpoint: ThreadCheckpoint;
  readonly counts: OutcomeCounts;
  /** Bytes of delivered events. */
  readonly bytes: number;
  /** Rows that are to be made durable. */
  readonly rows: number;
  /** Ranges that were taken to their last line. */
  readonly doneRanges: number;
  /** Events that wait for a retry now. */
  readonly waiting: number;
  /** Attempts that were not the first. */
  readonly retries: number;
}

/** Since the commit before. */
export interface CommitDetails extends Pick<
  StateChanges,
  'putRetries' | 'deleteRetries' | 'addDeadLetters'
> {
  readonly attempts: readonly TaggedAttempt[];
  readonly problems: readonly EventProblem[];
}

export type TaggedAttempt = readonly [result: AttemptResult, messageId: string];

/** An event that was neither delivered nor left out, as people are told of it. */
export interface EventProblem {
  readonly file: string;
  readonly line: number;
  readonly verdict: FinalStatus;
  readonly message: string;
}

/** An error of ours, taken apart: classes do not travel between threads. */
export interface WorkerFailure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}
