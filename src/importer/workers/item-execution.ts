import type { DownReason } from '../../delivery/circuit-breaker.js';
import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type { LeaseRequest, RemainingTurns, TurnLease } from '../../turn-lease.js';
import type { Range } from '../../sources/range.js';
import type { Commit, Job } from './messages.js';

export interface ItemExecutionOptions {
  readonly job: Job;
  /** What to read; none for a batch of retries. */
  readonly ranges: AsyncGenerator<Range>;
  /** Called with what is to be made durable; `durable` answers it. */
  readonly onCommit: (commit: Commit) => void;
  readonly onNotice: (queue: number, notice: EndpointNotice) => void;
  readonly onDown: (url: string, isDown: boolean, reason?: DownReason) => void;
  /** A token endpoint refuses the credentials, in a sentence: the run is to end. */
  readonly onRefused: (reason: string) => void;
  /**
   * Leases turns of a rate that several processes share: without `queue` that of the run (`job.leasesTurns`), else that of
   * the URL at this position (`job.sharesRates`).
   */
  readonly lease: (request: LeaseRequest, queue?: number) => Promise<TurnLease>;
  /**
   * Called with turns that will not be used: those left when the last job of a run in a thread ends, and leases that came
   * after the job had ended. `queue`: position of the URL; undefined: turns of the run.
   */
  readonly releaseTurns: (left: RemainingTurns, queue?: number) => void;
  /** Whether a URL that is down may be probed now; used with `job.asksBeforeProbe`. */
  readonly mayProbe: (queue: number) => Promise<boolean>;
}

/** The pipeline over one item of work, in a thread or in this one. */
export interface ItemExecution {
  /**
   * Resolves when everything has been committed; `hasReadAll` is false if it was stopped before.
   * @throws the error that ended it
   */
  readonly ended: Promise<{ readonly hasReadAll: boolean }>;
  /** `rows` of the rows committed so far, counted from the start, are durable. */
  durable(rows: number): void;
  applyNotice(queue: number, notice: EndpointNotice): void;
  /** Pauses reading, or goes on; retries, and what is read already, are sent on. */
  holdReading(isHeld: boolean): void;
  /** Sends nothing new; what is in flight may finish. */
  stop(): void;
}
