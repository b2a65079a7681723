import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type { FailureLimit } from '../stop-rule.js';
import type {
  CommitResult,
  ItemCommit,
  ItemKind,
  ItemRef,
  RangeItem,
  RetryBatch,
  StatChanges,
  TakenItem,
} from './item.js';
import type { Plan } from './plan.js';
import type { RunHead, RunRecord, RunSnapshot, WorkerReport } from './run-record.js';
import type { LeaseRequest, TurnLease } from '../../turn-lease.js';

/** What changed about a run, as published to its workers and planners. */
export type RunMessage =
  /** Its status has changed, or it has more to do: read it again. */
  | { readonly kind: 'status' }
  /** What a worker found out about a URL, given by its index; a pause ends by the clock of the store. */
  | { readonly kind: 'notice'; readonly url: number; readonly notice: EndpointNotice };

/**
 * The runs that machines share. All methods wait while the store is away or refuses writes, which it says
 * once, unless they say otherwise.
 */
export interface RunStore {
  /** Where it is, as it may be printed. */
  readonly name: string;
  /** Milliseconds since 1970 by the clock of the store, with fractions. */
  now(): number;
  /** Whether the store responds within this time and accepts writes; never waits for longer. */
  isAvailable(withinMs: number): Promise<boolean>;

  /**
   * The run of this identity; a new one by `plan`, with all its parts, if there is none or `isFresh`, which
   * cancels the one before. Of several planners at once, all get the same run. `name` begins the id, and
   * `checkNew`, which may throw, is called before a new one is made.
   *
   * @throws StateError where the store refuses writes
   */
  plan(
    identity: string,
    plan: Plan,
    name: string,
    isFresh: boolean,
    checkNew?: () => void,
  ): Promise<RunRecord>;
  /** Oldest first. */
  list(): Promise<RunHead[]>;
  find(run: string): Promise<RunRecord | undefined>;
  snapshot(run: string): Promise<RunSnapshot | undefined>;

  /** Stored only if the run has one of the statuses that may change to it; returns whether. */
  pause(run: string, stopReason: string | null): Promise<boolean>;
  /** `stopAfter` replaces that of the plan. */
  resume(run: string, stopAfter?: FailureLimit): Promise<boolean>;
  cancel(run: string): Promise<boolean>;
  /** Marks the run as finished if every part has ended and no retry waits; returns whether it is. */
  finishIfDone(run: string): Promise<boolean>;
  /** Deletes everything of a run. @throws UsageError for one that is running */
  remove(run: string): Promise<void>;
  /** Removes the runs that ended 7 days ago. */
  removeExpired(): Promise<void>;
  /** Puts back what failed, or what no worker could take; a finished run goes on with it. @throws UsageError for a run that is not there */
  verify(run: string): Promise<VerifyResult>;

  /** Items that are due, at most `limit`. Each is held until it ends, fails, is given back or is lost. */
  take(run: string, kind: ItemKind, limit: number): Promise<TakenItem[]>;
  commit(item: ItemRef, commit: ItemCommit): Promise<CommitResult>;
  /** It is done; nobody gets it again. */
  end(item: ItemRef): Promise<CommitResult>;
  /** It failed for good, until `verify` puts it back. */
  fail(item: ItemRef, reason: string): Promise<CommitResult>;
  /** Another worker may have it at once. Does not wait for a store that is away. */
  giveBack(item: ItemRef): Promise<void>;
  retryBatch(run: string, id: string): Promise<RetryBatch | undefined>;

  /** Parts that have neither ended nor failed. */
  unfinishedRanges(run: string): Promise<UnfinishedRange[]>;
  /** Lines of the dead-letter list from `start` (0 is the first), at most `limit`, fewer where they are long; none at its end. */
  deadLetters(run: string, start: number, limit: number): Promise<Buffer[]>;

  /** Reserves the next turns of the rate. */
  lease(run: string, perSecond: number, request: LeaseRequest): Promise<TurnLease>;
  /** The same of the rate that the URL at this position has for itself. */
  leaseOf(run: string, url: number, perSecond: number, request: LeaseRequest): Promise<TurnLease>;
  /** Gives turns back that will not be used, without new ones. */
  returnTurns(run: string, perSecond: number, unused: number): Promise<void>;
  /** Whether this worker may probe the URL now: one a second may, over all workers. */
  mayProbe(run: string, url: number): Promise<boolean>;
  /** Stores a notice for later workers and publishes it. */
  notify(run: string, url: number, notice: EndpointNotice): Promise<void>;
  /** The notices that still hold. */
  notices(run: string): Promise<readonly UrlNotice[]>;
  /**
   * Calls `listener` for each message of the run, and with `status` whenever some may have been missed, as
   * the connection was lost; the returned function ends it.
   */
  subscribe(run: string, listener: (message: RunMessage) => void): Promise<() => Promise<void>>;
  /** Calls `listener` when a run was made or goes on, or that may have been missed; the returned function ends it. */
  subscribeToRuns(listener: () => void): Promise<() => Promise<void>>;
  /** Notes that a worker is at work on the run; forgotten after a few seconds. */
  report(run: string, worker: WorkerReport): Promise<void>;
  /** Notes that a worker, by its id, has left the run; does not wait for a store that is away. */
  leave(run: string, worker: string): Promise<void>;
  close(): Promise<void>;
}

/** A notice about one URL, by its index. */
export interface UrlNotice {
  readonly url: number;
  readonly notice: EndpointNotice;
}

export interface UnfinishedRange {
  readonly item: RangeItem;
  /** What it has added to the totals of the run so far. */
  readonly counts: StatChanges;
}

/** What `runs verify` has put back. */
export interface VerifyResult {
  /** Parts that had failed, or that no worker could have taken. */
  readonly restoredRanges: number;
  readonly restoredRetries: number;
}
