import type { OutcomeCounts } from './store.js';

/** The progress of a run, for display. */
export interface RunCounts {
  /** Events read so far, by this run and earlier ones. */
  readonly read: number;
  /** How many events wait for a retry, including those in flight. */
  readonly waiting: number;
  /** Median latency of all attempts in milliseconds; null before the first. */
  readonly medianMs: number | null;
  /** Counts of this run alone. */
  count(finalStatus: keyof OutcomeCounts): number;
}

/** The result of a run: `read = delivered + rejected + failed + skipped + pending`. */
export interface Summary {
  readonly read: number;
  readonly delivered: number;
  readonly rejected: number;
  readonly failed: number;
  readonly skipped: number;
  /** Read, but undecided when the run was interrupted. */
  readonly pending: number;
  /** Attempts beyond the first. */
  readonly retries: number;
  /** Bytes of the delivered events, as in the files. */
  readonly bytes: number;
  readonly seconds: number;
  /** Delivered events per second. */
  readonly eventsPerSecond: number;
  /** Of all attempts, in milliseconds; null when there were none. */
  readonly latencyMs: {
    readonly p50: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  };
  /** The file with rejected and failed events; null when there are none. */
  readonly deadLetter: string | null;
  readonly resumed: boolean;
}
