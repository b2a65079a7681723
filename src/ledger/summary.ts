import type { ReasonCount } from './reason-counts.js';
import type { OutcomeCounts } from './store.js';
import type { UrlCounts } from './url-stats.js';

/** The progress of a run, for display. */
export interface RunCounts {
  /** Events read so far, by this run and earlier ones. */
  readonly read: number;
  /** Of these, the ones that have ended. */
  readonly ended: number;
  /** How many events wait for a retry, including those in flight. */
  readonly waiting: number;
  /** When the next retry is due, in milliseconds since 1970; Infinity when none is scheduled. */
  readonly nextDueAt: number;
  /** Code of the latest failure that is to be retried; undefined before the first, or if unknown. */
  readonly retryCode?: string | undefined;
  /** Whether more events may be read: the inputs have not been read to their end. */
  readonly isReading: boolean;
  /** How many events a line becomes on average: more than 1 only with a transform. */
  readonly eventsPerLine: number;
  /** Median time to a response in milliseconds; null before the first. */
  readonly medianMs: number | null;
  /** Counts of this run alone. */
  count(finalStatus: keyof OutcomeCounts): number;
}

/**
 * The result of a run. All counts are of this run, except for what it did not send: events that earlier
 * runs have ended count as `skipped`. So `read = delivered + rejected + failed + skipped + pending`
 * over all runs of an import.
 */
export interface Summary {
  readonly read: number;
  readonly delivered: number;
  readonly rejected: number;
  readonly failed: number;
  readonly skipped: number;
  readonly skippedBy: SkippedBy;
  /** Read, but undecided when the run was interrupted. */
  readonly pending: number;
  /** What earlier runs of the same import have ended. */
  readonly earlier: Pick<OutcomeCounts, 'delivered' | 'rejected' | 'failed'>;
  /** Why events were rejected or failed, the most frequent reason first. */
  readonly reasons: readonly ReasonCount[];
  /** One per URL, if there are several. */
  readonly urls?: readonly UrlCounts[];
  /** Attempts beyond the first. */
  readonly retries: number;
  /** Bytes of the delivered events, as in the files. */
  readonly bytes: number;
  readonly seconds: number;
  /** Delivered events per second. */
  readonly eventsPerSecond: number;
  /** From the start of an attempt to its response, in milliseconds; null when there was none. */
  readonly latencyMs: {
    readonly p50: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  };
  /** The file with rejected and failed events; null when there are none. */
  readonly deadLetter: string | null;
  readonly resumed: boolean;
}

/** Why events were skipped; the numbers add up to `skipped`. */
export interface SkippedBy {
  /** Excluded by a filter or a transform, in any run. */
  readonly filter: number;
  /** Their integrations turn the target off, in any run. */
  readonly integrations: number;
  /** No endpoint of the target wants them, in any run. */
  readonly endpoints: number;
  /** Delivered, rejected or failed in an earlier run. */
  readonly earlier: number;
}

/** Events that this run has ended. */
export function endedInRun(counts: Pick<RunCounts, 'count'>): number {
  return (
    counts.count('delivered') +
    counts.count('rejected') +
    counts.count('failed') +
    counts.count('skipped')
  );
}

/** Rejected and failed events of all runs, which decide on the exit code. */
export function failuresOfAllRuns({ rejected, failed, earlier }: Summary): number {
  return rejected + failed + earlier.rejected + earlier.failed;
}
