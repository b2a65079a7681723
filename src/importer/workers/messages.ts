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

/** What a worker thread needs to know about an import; plain data, since it is copied. */
export interface Job {
  /** Names of the inputs, in order. */
  readonly files: readonly string[];
  /** Whether the lines of a file can be read again at their offset, by the file's index. */
  readonly canReread: readonly boolean[];
  /** How far earlier runs got: which lines are left. */
  readonly checkpoint: Checkpoint;
  readonly settings: TargetSettings;
  /** This thread's share of the requests in flight. */
  readonly concurrency: number;
  /** Memory of the `Histogram` of this thread's attempt durations, shared with the main thread. */
  readonly latency: SharedArrayBuffer;
  /** This thread's share of the rows that a crash may undo. */
  readonly maxUncommitted: number;
  readonly selection: Selection;
  readonly stamp: Omit<StampOptions, 'now'>;
  /** This thread's share of `--rate`, in events per second. */
  readonly rate: number | undefined;
  /** Retries from earlier runs that this thread is to send. */
  readonly retries: readonly RetryRow[];
  readonly retryIds: { readonly last: number; readonly step: number };
  /** Whether to report every attempt, for `--log` and `--verbose`. */
  readonly reportsAttempts: boolean;
}

/** To a worker thread. */
export type WorkerCommand =
  | { readonly kind: 'range'; readonly range: Range }
  /** No more ranges will come. */
  | { readonly kind: 'end' }
  /** Send nothing new, and end. */
  | { readonly kind: 'stop' }
  /** `rows` of the rows that it has reported, counted from its start, are durable. */
  | { readonly kind: 'durable'; readonly rows: number }
  /** What another thread found out about a URL, by its position. */
  | { readonly kind: 'notice'; readonly queue: number; readonly notice: EndpointNotice };

/** From a worker thread. */
export type WorkerReport =
  /** It is ready for one more range. */
  | { readonly kind: 'want' }
  | ({ readonly kind: 'commit' } & Commit)
  | { readonly kind: 'notice'; readonly queue: number; readonly notice: EndpointNotice }
  | { readonly kind: 'down'; readonly url: string; readonly isDown: boolean }
  /** It has reported everything. */
  | { readonly kind: 'ended'; readonly failure: WorkerFailure | undefined };

/** What a thread asks to make durable. */
export interface Commit extends CommitDetails {
  readonly snapshot: ProgressSnapshot;
}

/** The progress of a thread, counted from its start. */
export interface ProgressSnapshot {
  readonly checkpoint: ThreadCheckpoint;
  readonly counts: OutcomeCounts;
  /** Bytes of delivered events. */
  readonly bytes: number;
  /** Rows to make durable. */
  readonly rows: number;
  /** Ranges read to their last line. */
  readonly doneRanges: number;
  /** Events that now wait for a retry. */
  readonly waiting: number;
  /** Attempts that were not the first. */
  readonly retries: number;
}

/** Changes since the previous commit. */
export interface CommitDetails extends Pick<
  StateChanges,
  'putRetries' | 'deleteRetries' | 'addDeadLetters'
> {
  readonly attempts: readonly TaggedAttempt[];
  readonly problems: readonly EventProblem[];
}

export type TaggedAttempt = readonly [result: AttemptResult, messageId: string];

/** An event that was neither delivered nor skipped, as shown to the user. */
export interface EventProblem {
  readonly file: string;
  readonly line: number;
  readonly verdict: FinalStatus;
  readonly message: string;
}

/** The members of an `EvfwdError`: a message between threads loses the class. */
export interface WorkerFailure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}
