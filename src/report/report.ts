import type { VerdictCounts } from './counts.js';
import type { DurationBar } from './durations.js';
import type { ReadSummary } from './read-logs.js';
import type { TimeSeries } from './series.js';

/** Milliseconds from the start of a try to its answer or end; null when no try was timed. */
export interface Latency {
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** How often first tries ended well, as far as a log can tell without remembering every event. */
export interface FinalStatuses {
  /** Lines with attempt 1: once for each event, URL and run. */
  readonly firstTries: number;
  /** Lines with a higher attempt. */
  readonly retries: number;
  /** Deliveries for each first try, 0 to 1; null where the log does not hold all first tries. */
  readonly deliveredShare: number | null;
  /**
   * First tries that came to neither a delivery nor a final answer: the retry window ended, the run
   * was interrupted, another URL took the event, or the log ends. Null like `deliveredShare`.
   */
  readonly unresolved: number | null;
}

export interface UrlReport extends VerdictCounts, FinalStatuses {
  /** Null stands for all URLs beyond the first 1,000. */
  readonly url: string | null;
  readonly latencyMs: Latency;
}

/** What attempt logs come to; printed as it is by `report --json`. */
export interface Report extends FinalStatuses, ReadSummary {
  readonly type: 'report';
  readonly attempts: number;
  readonly verdicts: Omit<VerdictCounts, 'attempts'>;
  /** When the first try began and the last one ended, ISO 8601 in UTC. */
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  /** Over the whole time; null when that is none. */
  readonly attemptsPerSecond: number | null;
  readonly latencyMs: Latency;
  readonly latencyBars: readonly DurationBar[];
  /** By attempt number, ascending; null stands for numbers beyond the first 1,000 different ones. */
  readonly tries: readonly (VerdictCounts & { readonly attempt: number | null })[];
  /** Most frequent first, as are errors and URLs. */
  readonly statuses: readonly (VerdictCounts & { readonly status: number | null })[];
  readonly errors: readonly (VerdictCounts & { readonly error: string | null })[];
  readonly urls: readonly UrlReport[];
  readonly series: TimeSeries;
}
