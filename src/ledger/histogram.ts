/** Buckets grow by 2 %, so a percentile is at most so much off, in constant memory. */
const growth = Math.log(1.02);

/** Counts durations in milliseconds, from 0.01 ms up, for percentiles over any number of them. */
export class Histogram {
  readonly #counts: number[] = [];
  #total = 0;

  add(ms: number): void {
    const bucket = Math.max(0, Math.round(Math.log(Math.max(ms, 0.01) / 0.01) / growth));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total++;
  }

  /** The duration that `share` (0 to 1) of all stay below; null when there are none. */
  percentile(share: number): number | null {
    if (this.#total === 0) return null;
    let left = Math.max(1, Math.ceil(this.#total * share));
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      left -= this.#counts[bucket] ?? 0;
      if (left <= 0) return Number((0.01 * Math.exp(bucket * growth)).toPrecision(3));
    }
    return null;
  }
}
