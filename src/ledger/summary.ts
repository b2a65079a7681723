import type { OutcomeCounts } from './store.js';

/** How far a run has come, for people who watch it. */
export interface RunCounts {
  /** Events read so far, by this run and earlier ones. */
  readonly read: number;
  /** How many events wait for a retry, those under way included. */
  readonly waiting: number;
  /** Median latency of all tries in milliseconds; null before the first. */
  readonly medianMs: number | null;
  /** Counts of this run alone. */
  count(finalStatus: keyof OutcomeCounts): number;
}

/** What a run came to: `read = delivered + rejected + failed + skipped + pending`. */
export interface Summary {
  readonly read: number;
  readonly delivered: number;
  readonly rejected: number;
  readonly failed: number;
  readonly skipped: number;
  /** Read, but undecided when the run was interrupted. */
  readonly pending: number;
  /** Tries beyond the first. */
  readonly retries: number;
  /** Bytes of events that were delivered, as they stand in the files. */
  readonly bytes: number;
  readonly seconds: number;
  /** Delivered events a second. */
  readonly eventsPerSecond: number;
  /** Of all tries, in milliseconds; null when there were none. */
  readonly latencyMs: {
    readonly p50: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  };
  /** The file with what was rejected and failed; null when there is nothing in it. */
  readonly deadLetter: string | null;
  readonly resumed: boolean;
}
