import type { Clock } from '../clock.js';
import type { AttemptResult } from '../delivery/outcome.js';
import { Histogram, percentileOf } from './histogram.js';
import type { OutcomeCounts } from './store.js';
import type { Summary } from './summary.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a summary has besides the counts. */
export interface RunEnd {
  /** Events without a final status. */
  readonly pending: number;
  readonly deadLetterPath: string;
  /** Whether an earlier run had begun the import. */
  readonly resumed: boolean;
}

/** Counts final statuses, of all runs of an import and of this one, and the durations of attempts. */
export class RunStats {
  readonly #clock: Clock;
  readonly #before: OutcomeCounts;
  readonly #counts: Mutable<OutcomeCounts>;
  readonly #startedAt: number;
  readonly #latencies: readonly [Histogram, ...Histogram[]];
  #retries = 0;
  #bytes = 0;

  /** `before`: the counts of earlier runs. `others`: the latencies counted by other threads. */
  constructor(clock: Clock, before: OutcomeCounts, others: readonly Histogram[] = []) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#before = before;
    this.#counts = { ...before };
    this.#latencies = [new Histogram(), ...others];
  }

  /** Counts of all runs. */
  get counts(): OutcomeCounts {
    return this.#counts;
  }

  /** Events of all runs that have a final status. */
  get ended(): number {
    const { delivered, rejected, failed, skipped } = this.#counts;
    return delivered + rejected + failed + skipped;
  }

  /** Bytes of the events that this run has delivered, as in the files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts of this run alone. */
  count(finalStatus: keyof OutcomeCounts): number {
    return this.#counts[finalStatus] - this.#before[finalStatus];
  }

  /** Median latency of all attempts in milliseconds; null before the first. */
  get medianMs(): number | null {
    return percentileOf(this.#latencies, 0.5);
  }

  attempt({ attempt, durationMs }: Pick<AttemptResult, 'attempt' | 'durationMs'>): void {
    if (attempt > 1) this.#retries++;
    this.#latencies[0].add(durationMs);
  }

  delivered(bytes: number): void {
    this.#counts.delivered++;
    this.#bytes += bytes;
  }

  undelivered(finalStatus: Exclude<keyof OutcomeCounts, 'delivered'>): void {
    this.#counts[finalStatus]++;
  }

  /** Adds the counts of another thread. */
  add(counts: OutcomeCounts, bytes: number, retries: number): void {
    for (const finalStatus of finalStatuses) this.#counts[finalStatus] += counts[finalStatus];
    this.#bytes += bytes;
    this.#retries += retries;
  }

  summary({ pending, deadLetterPath, resumed }: RunEnd): Summary {
    const seconds = (this.#clock.monotonic() - this.#startedAt) / 1000;
    const delivered = this.count('delivered');
    const { rejected, failed, skipped } = this.#counts;
    return {
      read: this.ended + pending,
      delivered,
      rejected,
      failed,
      skipped: skipped + this.#before.delivered,
      pending,
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

const finalStatuses = ['delivered', 'rejected', 'failed', 'skipped'] as const;
