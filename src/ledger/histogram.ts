/** Buckets grow by 2 %, so a percentile is at most 1 % off, in constant memory. */
const growth = Math.log(1.02);
/** Shorter durations count as this one. */
export const minMs = 0.01;
/** Up to 57 hours; longer durations count as that. */
const buckets = 1_200;
const bytes = buckets * Uint32Array.BYTES_PER_ELEMENT;

/** Memory for the counts of one histogram, to be shared between threads. */
export function sharedCounts(): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}

/** Counts durations in milliseconds, for percentiles over any number of them. */
export class Histogram {
  readonly #counts: Uint32Array;

  /** `memory`: from `sharedCounts`, so that another thread can read the counts. */
  constructor(memory: SharedArrayBuffer | ArrayBuffer = new ArrayBuffer(bytes)) {
    this.#counts = new Uint32Array(memory);
  }

  add(ms: number): void {
    const bucket = Math.round(Math.log(Math.max(ms, minMs) / minMs) / growth);
    this.#counts[Math.min(bucket, buckets - 1)]!++;
  }

  merge({ counts }: Histogram): void {
    for (let bucket = 0; bucket < buckets; bucket++) this.#counts[bucket]! += counts[bucket]!;
  }

  /** The duration that `share` (0 to 1) of all durations do not exceed; null when there are none. */
  percentile(share: number): number | null {
    return percentileOf([this], share);
  }

  /** The number of durations in each bucket. */
  get counts(): Uint32Array {
    return this.#counts;
  }
}

/** The percentile over several histograms. */
export function percentileOf(histograms: readonly Histogram[], share: number): number | null {
  const sums = new Array<number>(buckets).fill(0);
  for (const { counts } of histograms) counts.forEach((count, i) => (sums[i]! += count));
  const total = sums.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.max(1, Math.ceil(total * share));
  const bucket = sums.findIndex((count) => (left -= count) <= 0);
  return Number(centerOf(bucket).toPrecision(3));
}

/** The duration in the middle of a bucket, in milliseconds; `bucket` ± 0.5 yields its edges. */
export function centerOf(bucket: number): number {
  return minMs * Math.exp(bucket * growth);
}
