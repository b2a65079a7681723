import type { MessagePort } from 'node:worker_threads';
import type { TargetSettings } from '../../config/open-target.js';
import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type { LeaseRequest, RemainingTurns, TurnLease } from '../../turn-lease.js';
import type { AttemptResult } from '../../delivery/outcome.js';
import type { Range } from '../../sources/range.js';
import type { Changes } from '../../steps/changes.js';
import type { Selection } from '../../events/select.js';
import type { StampOptions } from '../../events/stamp.js';
import type { Checkpoint } from '../../ledger/progress.js';
import type { DownReason } from '../../delivery/circuit-breaker.js';
import type { ReasonCount } from '../../ledger/reason-counts.js';
import type { RetryRow } from '../../ledger/retry-row.js';
import type { StateChanges, OutcomeCounts } from '../../ledger/store.js';
import type { UrlCounts } from '../../ledger/url-stats.js';
import type { EventAttempt, EventProblem } from '../reported-event.js';
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
  /** This thread's share of the requests in flight, per URL. */
  readonly concurrency: number;
  /**
   * Jobs of one group have the same settings. Those in one thread share their connections, and so `concurrency` (not with
   * a collector), and with `leasesTurns` the turns of `rate`; and they commit together. Default: each job is alone.
   */
  readonly group?: string;
  /** Memory of the `Histogram` of this thread's attempt durations, shared with the main thread. */
  readonly latency: SharedArrayBuffer;
  /** This thread's share of the rows that a crash may undo. */
  readonly maxUncommitted: number;
  readonly selection: Selection;
  /** What is done to each record, `selection` included. */
  readonly changes?: Changes | undefined;
  /** As in `LedgerOptions`. */
  readonly rowFiles?: ReadonlySet<string> | undefined;
  /** As in `LedgerOptions`. */
  readonly deadLettersChanged?: boolean | undefined;
  readonly stamp: Omit<StampOptions, 'now'>;
  /** Events per second: this thread's share of `--rate`, or with `leasesTurns` the rate of all processes together. */
  readonly rate: number | undefined;
  /** Retries from earlier runs that this thread is to send. */
  readonly retries: readonly RetryRow[];
  readonly retryIds: { readonly last: number; readonly step: number };
  /** The URLs of the target, without queries. */
  readonly urls: readonly string[];
  /** Whether to report every attempt, for `--log`. */
  readonly reportsAttempts: boolean;
  /** Whether to report everything that happens to an event, for `--verbose`. */
  readonly isVerbose: boolean;
  /** Where the inputs are, if not at `files`, which names them in dead letters and messages. */
  readonly paths?: readonly string[];
  /**
   * Whether the checkpoint belongs to this job alone: its commits have all of it, and lines, which are
   * counted from the start of an item, are told by their offset. Default: other jobs share it.
   */
  readonly ownsCheckpoint?: boolean;
  /**
   * Whether an event that is to be retried leaves at once: it is in `putRetries`, and never waits here. Of
   * `retries`, a row that has not ended when the job is stopped is neither put nor deleted. Default false.
   */
  readonly exportsRetries?: boolean;
  /**
   * Sends the events of one user one after the other. Retries wait in the thread and are not reported, and their
   * lines stay open. Default false.
   */
  readonly isOrdered?: boolean;
  /** Whether `maxUncommitted` limits also the lines that have no outcome yet. Default false. */
  readonly countsOpen?: boolean;
  /** Whether turns of `rate` are leased from the host. Default false. */
  readonly leasesTurns?: boolean;
  /** Whether the host is asked for the turns of URLs that have a rate of their own. Default false: each job has them. */
  readonly sharesRates?: boolean;
  /** Whether the host is asked before each probe of a URL that is down. Default false. */
  readonly asksBeforeProbe?: boolean;
  /**
   * What is known of the URLs from the start: later messages come after the first retries are sent.
   * Default: nothing.
   */
  readonly notices?: readonly QueueNotice[];
}

/** What is known of a URL, by its position in the target. */
export interface QueueNotice {
  readonly queue: number;
  readonly notice: EndpointNotice;
}

/** Starts a job in a thread, which talks about it through the port. */
export interface JobStart {
  readonly job: Job;
  readonly port: MessagePort;
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
  | { readonly kind: 'notice'; readonly queue: number; readonly notice: EndpointNotice }
  /** Whether to read nothing more for now; retries are sent on. */
  | { readonly kind: 'hold'; readonly isHeld: boolean }
  /** The response to `lease`, with its URL. */
  | { readonly kind: 'leased'; readonly lease: TurnLease; readonly queue?: number | undefined }
  /** The response to `mayProbe`. */
  | { readonly kind: 'probe'; readonly queue: number; readonly isAllowed: boolean };

/** From a worker thread. */
export type WorkerReport =
  /** It is ready for one more range. */
  | { readonly kind: 'want' }
  | ({ readonly kind: 'commit' } & Commit)
  | { readonly kind: 'notice'; readonly queue: number; readonly notice: EndpointNotice }
  | {
      readonly kind: 'down';
      readonly url: string;
      readonly isDown: boolean;
      readonly reason: DownReason | undefined;
    }
  /** A token endpoint refuses the credentials, in a sentence: the run is to end. */
  | { readonly kind: 'refused'; readonly reason: string }
  /**
   * It needs more turns: with `leasesTurns` those of the run, with `sharesRates` those of the URL at this position.
   */
  | { readonly kind: 'lease'; readonly request: LeaseRequest; readonly queue?: number | undefined }
  /** It takes no more turns of the run. */
  | {
      readonly kind: 'leftTurns';
      /** Of the last job of a run in its thread: what these jobs did not use. */
      readonly left: RemainingTurns | undefined;
      /** Requests whose responses it has not received, and will not use. */
      readonly openRequests: number;
    }
  /** May this URL, which is down, be probed? Used with `asksBeforeProbe`. */
  | { readonly kind: 'mayProbe'; readonly queue: number }
  /** As `RecordParser.warnings`, at the end, if it has read records. */
  | { readonly kind: 'warnings'; readonly texts: readonly string[] }
  /** It has reported everything. `hasReadAll`: nothing is left of its ranges and retries. */
  | {
      readonly kind: 'ended';
      readonly hasReadAll: boolean;
      readonly failure: WorkerFailure | undefined;
    };

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
  /** Why events were rejected or failed. */
  readonly reasons: readonly ReasonCount[];
  /** How events ended at each of several URLs. */
  readonly urls: readonly UrlCounts[];
}

/** Changes since the previous commit. */
export interface CommitDetails extends Pick<
  StateChanges,
  'putRetries' | 'deleteRetries' | 'addDeadLetters'
> {
  /** For the log. */
  readonly attempts: readonly TaggedAttempt[];
  /** To be shown; empty unless `isVerbose`. */
  readonly shownAttempts: readonly EventAttempt[];
  /** To be shown: unless `isVerbose` only the first few of each thread. */
  readonly problems: readonly EventProblem[];
}

export type TaggedAttempt = readonly [result: AttemptResult, messageId: string];

/** The members of an `EvfwdError`: a message between threads loses the class. */
export interface WorkerFailure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}
