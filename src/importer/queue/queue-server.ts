import type { Redis } from 'ioredis';
import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type {
  CommitResult,
  ItemCommit,
  ItemKind,
  ItemRef,
  RangeItem,
  RetryBatch,
  StatChanges,
} from './item.js';
import type { Plan } from './plan.js';
import type { RunHead, RunRecord, RunSnapshot, WorkerReport } from './run-record.js';
import type { FailureLimit } from '../stop-rule.js';

/** Turns of the rate of a run: from `inMs` on, one every `intervalMs`. */
export interface RateLease {
  readonly inMs: number;
  readonly turns: number;
  readonly intervalMs: number;
}

/** What changed about a run, as published to its workers and planners. */
export type RunMessage =
  /** Its status has changed: read it again. */
  | { readonly kind: 'status' }
  /** What a worker found out about a URL, given by its index; a pause ends by the clock of the server. */
  | { readonly kind: 'notice'; readonly url: number; readonly notice: EndpointNotice };

/**
 * The runs on one Redis server. All methods wait while the connection is lost or the server refuses
 * writes (`onTrouble` says so), unless they say otherwise.
 */
export interface QueueServer {
  /** `redis://host:port/0`, without user and password. */
  readonly url: string;
  /** Milliseconds since 1970 by the clock of the server, with fractions. */
  now(): number;
  /** Whether the server responds within this time and accepts commands; never waits for longer. */
  isAvailable(withinMs: number): Promise<boolean>;

  /**
   * The run of this identity; a new one by `plan` if there is none or `isFresh`, which cancels the one before. Of several planners at
   * once, all get the same run; each puts the ranges of the plan of the record that it gets into the queue. `name` begins the id.
   *
   * @throws StateError on a server that refuses writes
   */
  join(identity: string, plan: Plan, name: string, isFresh: boolean): Promise<RunRecord>;
  /** Oldest first. */
  list(): Promise<RunHead[]>;
  find(run: string): Promise<RunRecord | undefined>;
  snapshot(run: string): Promise<RunSnapshot | undefined>;

  /** Puts ranges into the queue; those that are there already stay as they are. @throws StateError on a server that refuses writes */
  addRanges(run: string, items: ReadonlyMap<string, RangeItem>): Promise<void>;
  /** Notes that all ranges are in the queue. @throws StateError on a server that refuses writes */
  endPlanning(run: string, total: number): Promise<void>;

  /** Stored only if the run has one of the statuses that may change to it; returns whether. */
  pause(run: string, stopReason: string | null): Promise<boolean>;
  /** `stopAfter` replaces that of the plan. */
  resume(run: string, stopAfter?: FailureLimit): Promise<boolean>;
  cancel(run: string): Promise<boolean>;
  /** Marks the run as finished if every range has ended and no retry waits; returns whether it is. */
  finishIfDone(run: string): Promise<boolean>;
  /** Deletes everything of a run. @throws UsageError for one that is running */
  remove(run: string): Promise<void>;
  /** Removes the runs that ended 7 days ago. */
  removeExpired(): Promise<void>;

  commit(item: ItemRef, commit: ItemCommit): Promise<CommitResult>;
  /** Puts the batches into the queue of retries where they are not there yet; those that are done are left out. */
  scheduleRetries(run: string, ids: readonly string[]): Promise<void>;
  retryBatch(run: string, id: string): Promise<RetryBatch | undefined>;

  /** Ranges of the plan that have neither ended nor failed. */
  unfinishedRanges(run: string): Promise<UnfinishedRange[]>;
  /** Lines of the dead-letter list from `start` (0 is the first), at most `limit`, fewer where they are long; none at its end. */
  deadLetters(run: string, start: number, limit: number): Promise<Buffer[]>;

  /** Reserves the next turns of the rate; `unused` of earlier leases are returned to it. */
  lease(run: string, perSecond: number, unused: number): Promise<RateLease>;
  /** Gives turns back that will not be used, without new ones. */
  returnTurns(run: string, perSecond: number, unused: number): Promise<void>;
  /** Whether this worker may probe the URL now: one a second may, over all workers. */
  mayProbe(run: string, url: number): Promise<boolean>;
  /** Stores a notice for later workers and publishes it. */
  notify(run: string, url: number, notice: EndpointNotice): Promise<void>;
  /** The notices that still hold. */
  notices(
    run: string,
  ): Promise<readonly { readonly url: number; readonly notice: EndpointNotice }[]>;
  /**
   * Calls `listener` for each message of the run, and with `status` whenever some may have been missed, as
   * the connection was lost; the returned function ends it.
   */
  subscribe(run: string, listener: (message: RunMessage) => void): Promise<() => Promise<void>>;
  /** Calls `listener` when a run was made or goes on, or that may have been missed; the returned function ends it. */
  subscribeToRuns(listener: () => void): Promise<() => Promise<void>>;
  /** Notes that a worker is at work on the run; forgotten after a few seconds. */
  report(run: string, worker: WorkerReport): Promise<void>;
  /** Notes that a worker, by its id, has left the run. */
  leave(run: string, worker: string): Promise<void>;

  /**
   * Puts back the items that the queues lack or that failed; a finished run goes on with them.
   *
   * @throws UsageError for a run that is not there
   */
  verify(run: string): Promise<VerifyResult>;
  /** The name of a BullMQ queue of the run, and the prefix of its keys. */
  queueName(run: string, kind: ItemKind): string;
  readonly prefix: string;
  /**
   * For the BullMQ workers of this process: `new Worker(name, …, { connection: client, prefix,
   * skipVersionCheck: true, … })`, which makes a second connection of its own for waiting.
   */
  readonly client: Redis;
  close(): Promise<void>;
}

export interface UnfinishedRange {
  readonly item: RangeItem;
  /** What it has added to the totals of the run so far. */
  readonly counts: StatChanges;
}

/** What `runs verify` found. */
export interface VerifyResult {
  /** Ranges that were missing in the queue, or had failed, and were put back. */
  readonly restoredRanges: number;
  readonly restoredRetries: number;
  /** Counts whose total differs from the sum over the items: name, total, sum. */
  readonly differences: readonly (readonly [name: string, total: number, sum: number])[];
}
