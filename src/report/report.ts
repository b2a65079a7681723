import type { ResponseExcerpt } from '../delivery/outcome.js';
import type { VerdictCounts } from './counts.js';
import type { DurationBar } from './durations.js';
import type { FailedDelivery } from './failed-deliveries.js';
import type { ReadSummary } from './read-logs.js';
import type { TimeSeries } from './series.js';

/** Milliseconds from the start of an attempt to its response or end; null if no attempt was timed. */
export interface Latency {
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** How many first attempts led to a delivery, as far as that is known without storing every event. */
export interface FinalStatuses {
  /** Lines with attempt 1: one per event, URL and run. */
  readonly firstTries: number;
  /** Lines with a higher attempt. */
  readonly retries: number;
  /** Deliveries per first attempt, 0 to 1; null if the log does not contain all first attempts. */
  readonly deliveredShare: number | null;
  /**
   * First attempts that led to neither a delivery nor a final failure: the retry window ended, the run
   * was interrupted, another URL accepted the event, or the log ends. Null like `deliveredShare`.
   */
  readonly unresolved: number | null;
}

export interface StatusReport extends VerdictCounts {
  /** Null for all statuses beyond the first 1,000. */
  readonly status: number | null;
  /** What one such response said, with at most 1,024 bytes of its body; absent if the log does not say. */
  readonly example?: ResponseExcerpt;
}

export interface UrlReport extends VerdictCounts, FinalStatuses {
  /** Null for all URLs beyond the first 1,000. */
  readonly url: string | null;
  readonly latencyMs: Latency;
}

/** The report on attempt logs; printed unchanged by `report --json`. */
export interface Report extends FinalStatuses, ReadSummary {
  readonly type: 'report';
  readonly attempts: number;
  readonly verdicts: Omit<VerdictCounts, 'attempts'>;
  /** When the first attempt began and the last one ended, ISO 8601 in UTC. */
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  /** Over the whole time; null if that is 0. */
  readonly attemptsPerSecond: number | null;
  readonly latencyMs: Latency;
  readonly latencyBars: readonly DurationBar[];
  /** By attempt number, ascending; null for numbers beyond the first 1,000 different ones. */
  readonly tries: readonly (VerdictCounts & { readonly attempt: number | null })[];
  /** Most frequent first, as are errors and URLs. */
  readonly statuses: readonly StatusReport[];
  readonly errors: readonly (VerdictCounts & { readonly error: string | null })[];
  readonly urls: readonly UrlReport[];
  /** The newest 100 that no later attempt delivered, newest first. */
  readonly failedDeliveries: readonly FailedDelivery[];
  readonly series: TimeSeries;
}
