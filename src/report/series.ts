import { Counts, type VerdictCounts } from './counts.js';
import { Durations } from './durations.js';
import type { LoggedAttempt } from './attempt-line.js';

/** The attempts that began within one interval. */
export interface TimeBucket extends VerdictCounts {
  /** Start of the interval, ISO 8601 in UTC. */
  readonly at: string;
  /** Of the responses; null without any. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface TimeSeries {
  /** Length of every interval. */
  readonly seconds: number;
  /** Oldest first; intervals without attempts are left out. */
  readonly buckets: readonly TimeBucket[];
}

/** Bucket widths in milliseconds: round, each a multiple of the one before. Beyond the last, the width doubles. */
const widths = [
  10, 20, 100, 200, 1e3, 2e3, 1e4, 3e4, 6e4, 12e4, 6e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5,
];
/** A width grows by a factor of at most 5, so a chart of a long log has at least 240 / 5 = 48 intervals. */
export const maxBuckets = 240;
/** More columns than this are too narrow to be read. */
const maxColumns = 80;

interface Bucket {
  readonly counts: Counts;
  readonly durations: Durations;
}

/** Attempts over time, in constant memory: the buckets get wider as the time span grows. */
export class Series {
  #width = widths[0]!;
  #buckets = new Map<number, Bucket>();
  #first = Infinity;
  #last = -Infinity;

  add({ at, status, verdict, durationMs }: LoggedAttempt): void {
    this.#makeRoom(at);
    const bucket = bucketOf(this.#buckets, Math.floor(at / this.#width));
    bucket.counts.add(verdict);
    if (status !== null) bucket.durations.add(durationMs);
  }

  /** Its intervals are widened to be as few as a chart can show, and to have two attempts or more on average. */
  values(): TimeSeries {
    const attempts = [...this.#buckets.values()].reduce(
      (sum, { counts }) => sum + counts.values().attempts,
      0,
    );
    this.#widen(Math.min(maxColumns, Math.max(1, Math.floor(attempts / 2))));
    const sorted = [...this.#buckets].sort(([one], [other]) => one - other);
    return {
      seconds: this.#width / 1000,
      buckets: sorted.map(([index, { counts, durations }]) => ({
        at: new Date(index * this.#width).toISOString(),
        ...counts.values(),
        p50: durations.percentile(0.5),
        p95: durations.percentile(0.95),
      })),
    };
  }

  #makeRoom(at: number): void {
    if (at >= this.#first && at <= this.#last) return;
    this.#first = Math.min(this.#first, at);
    this.#last = Math.max(this.#last, at);
    this.#widen(maxBuckets);
  }

  #widen(most: number): void {
    const before = this.#width;
    while (this.#span() > most) this.#width = wider(this.#width);
    if (this.#width !== before) this.#merge(this.#width / before);
  }

  #span(): number {
    return Math.floor(this.#last / this.#width) - Math.floor(this.#first / this.#width) + 1;
  }

  #merge(factor: number): void {
    const merged = new Map<number, Bucket>();
    for (const [index, { counts, durations }] of this.#buckets) {
      const bucket = bucketOf(merged, Math.floor(index / factor));
      bucket.counts.merge(counts);
      bucket.durations.merge(durations);
    }
    this.#buckets = merged;
  }
}

function bucketOf(buckets: Map<number, Bucket>, index: number): Bucket {
  const known = buckets.get(index);
  if (known) return known;
  const bucket = { counts: new Counts(), durations: new Durations() };
  buckets.set(index, bucket);
  return bucket;
}

function wider(width: number): number {
  return widths.find((candidate) => candidate > width) ?? width * 2;
}
