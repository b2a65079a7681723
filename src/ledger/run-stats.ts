import type { Clock } from '../clock.js';
import { integrationOff, notWanted, type AttemptResult } from '../delivery/outcome.js';
import { Histogram, percentileOf } from './histogram.js';
import { ReasonCounts } from './reason-counts.js';
import { endedOf, type OutcomeCounts } from './store.js';
import type { Summary } from './summary.js';
import { UrlStats } from './url-stats.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a summary has besides the counts. */
export interface RunEnd {
  /** Events without a final status. */
  readonly pending: number;
  readonly deadLetterPath: string;
  /** Whether an earlier run had begun the import. */
  readonly resumed: boolean;
}

export interface RunStatsOptions {
  /** The latencies counted by other threads. */
  readonly others?: readonly Histogram[];
  /** The URLs of the target, for the counts of each if there are several. */
  readonly urls?: readonly string[] | undefined;
}

/** Counts final statuses, of all runs of an import and of this one, and the time to responses. */
export class RunStats {
  /** Of this run. */
  readonly reasons = new ReasonCounts();
  /** Of this run. */
  readonly urls: UrlStats;
  readonly #clock: Clock;
  readonly #before: OutcomeCounts;
  readonly #counts: Mutable<OutcomeCounts>;
  readonly #startedAt: number;
  readonly #latencies: readonly [Histogram, ...Histogram[]];
  #retries = 0;
  #bytes = 0;

  /** `before`: the counts of earlier runs. */
  constructor(clock: Clock, before: OutcomeCounts, { others = [], urls }: RunStatsOptions = {}) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#before = before;
    this.#counts = { ...before };
    this.#latencies = [new Histogram(), ...others];
    this.urls = new UrlStats(urls);
  }

  /** Counts of all runs. */
  get counts(): OutcomeCounts {
    return this.#counts;
  }

  /** Events of all runs that have a final status. */
  get ended(): number {
    return endedOf(this.#counts);
  }

  /** Bytes of the events that this run has delivered, as in the files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts of this run alone. */
  count(finalStatus: keyof OutcomeCounts): number {
    return this.#counts[finalStatus] - this.#before[finalStatus];
  }

  /** Median time to a response in milliseconds; null before the first. */
  get medianMs(): number | null {
    return percentileOf(this.#latencies, 0.5);
  }

  attempt({ attempt, durationMs, status }: MeasuredAttempt): void {
    if (attempt > 1) this.#retries++;
    if (status !== null) this.#latencies[0].add(durationMs);
  }

  delivered(bytes: number): void {
    this.#counts.delivered++;
    this.#bytes += bytes;
  }

  undelivered(finalStatus: 'rejected' | 'failed', code: string | undefined): void {
    this.#counts[finalStatus]++;
    this.reasons.add(code);
  }

  /** `code`: why the target left it out; absent if a filter or a transform did. */
  skipped(code?: string): void {
    this.#counts.skipped++;
    if (code === integrationOff) this.#counts.disabled++;
    if (code === notWanted) this.#counts.unwanted++;
  }

  /** Adds the counts of another thread. */
  add(counts: OutcomeCounts, bytes: number, retries: number): void {
    for (const name of countNames) this.#counts[name] += counts[name];
    this.#bytes += bytes;
    this.#retries += retries;
  }

  summary({ pending, deadLetterPath, resumed }: RunEnd): Summary {
    const seconds = (this.#clock.monotonic() - this.#startedAt) / 1000;
    const delivered = this.count('delivered');
    const { rejected, failed, skipped, disabled, unwanted } = this.#counts;
    const before = this.#before;
    const earlier = before.delivered + before.rejected + before.failed;
    const urls = this.urls.list();
    return {
      read: this.ended + pending,
      delivered,
      rejected: this.count('rejected'),
      failed: this.count('failed'),
      skipped: skipped + earlier,
      skippedBy: {
        filter: skipped - disabled - unwanted,
        integrations: disabled,
        endpoints: unwanted,
        earlier,
      },
      pending,
      earlier: { delivered: before.delivered, rejected: before.rejected, failed: before.failed },
      reasons: this.reasons.list(),
      ...(urls.length > 0 && { urls }),
      retries: this.#retries,
      bytes: this.#bytes,
      seconds: Math.round(seconds * 1000) / 1000,
      eventsPerSecond: seconds > 0 ? Math.round(delivered / seconds) : 0,
      latencyMs: {
        p50: percentileOf(this.#latencies, 0.5),
        p95: percentileOf(this.#latencies, 0.95),
        p99: percentileOf(this.#latencies, 0.99),
      },
      deadLetter: rejected + failed > 0 ? deadLetterPath : null,
      resumed,
    };
  }
}

const countNames = [
  'delivered',
  'rejected',
  'failed',
  'skipped',
  'disabled',
  'unwanted',
] as const satisfies readonly (keyof OutcomeCounts)[];

/** What of an attempt is measured. */
export type MeasuredAttempt = Pick<AttemptResult, 'attempt' | 'durationMs' | 'status'>;
