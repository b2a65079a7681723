import { centerOf, Histogram } from '../ledger/histogram.js';

/** The number of durations in a range, for one bar of a chart. */
export interface DurationBar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly attempts: number;
}

/** A histogram that also has the longest duration and bars for a chart. */
export class Durations {
  readonly #histogram = new Histogram();
  #max: number | null = null;

  /** The exact longest duration; null without any. */
  get max(): number | null {
    return this.#max;
  }

  add(ms: number): void {
    this.#histogram.add(ms);
    this.#max = Math.max(ms, this.#max ?? 0);
  }

  merge(other: Durations): void {
    this.#histogram.merge(other.#histogram);
    if (other.#max !== null) this.#max = Math.max(other.#max, this.#max ?? 0);
  }

  /** Like that of a histogram, but never above the longest duration. */
  percentile(share: number): number | null {
    return this.#max === null ? null : Math.min(this.#histogram.percentile(share)!, this.#max);
  }

  /** All durations in at most `most` bars of equal width on a logarithmic scale, without gaps. */
  bars(most: number): DurationBar[] {
    if (this.#max === null) return [];
    const { counts } = this.#histogram;
    const first = counts.findIndex((count) => count > 0);
    const last = counts.findLastIndex((count) => count > 0);
    const step = Math.ceil((last - first + 1) / most);
    const bars: DurationBar[] = [];
    for (let from = first; from <= last; from += step) {
      const attempts = counts.subarray(from, from + step).reduce((sum, count) => sum + count, 0);
      bars.push({ fromMs: edgeOf(from), toMs: edgeOf(from + step), attempts });
    }
    return bars;
  }
}

/** The lower end of a bucket; its upper one is that of the next. */
function edgeOf(bucket: number): number {
  return Number(centerOf(bucket - 0.5).toPrecision(4));
}
