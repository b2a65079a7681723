import type { Clock } from '../clock.js';

/** The options of `Client`. Durations are in milliseconds. */
export interface ClientOptions {
  /** URL of the collector. One without a path gets `/v1/batch`; one with a path is used unchanged. */
  readonly endpoint: string;
  /** Number of messages at which a batch is sent; at most 2500. Default 20. */
  readonly flushAt?: number;
  /** Another name for `flushAt`. */
  readonly size?: number;
  /** Longest time that a message waits for its batch to fill, in milliseconds. Default 5000. */
  readonly flushAfter?: number;
  /** Maximum messages queued and in flight; above it calls throw `QueueFullError`. Default 10,000. */
  readonly maxQueue?: number;
  /** Batches in flight at once; they may arrive out of order. Default 8. */
  readonly maxInFlight?: number;
  /** Time from the start of an attempt to the status line, in milliseconds. Default 5000. */
  readonly timeoutMs?: number;
  /** How long one batch is retried, from its first attempt, in milliseconds. Default 120,000; 0 attempts once. */
  readonly retryWindowMs?: number;
  /** The waits between attempts, in milliseconds; the last one repeats. Default 500, doubled up to 60,000. */
  readonly retryDelaysMs?: readonly number[];
  /** PEM texts of certificates to trust in addition to Node's own. Default: none. */
  readonly ca?: readonly string[];
  /** The source of time, for tests. Default: the system's. */
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}
