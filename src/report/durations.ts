/** What is shorter counts as this. */
export const leastMs = 0.01;
/** The steps of `ledger/histogram.ts`, so that a report and the summary of its run agree. */
const growth = Math.log(1.02);
/** 0.01 ms × 1.02^1200 is 58 hours; longer ones count as that. */
const bins = 1201;

/** Durations within a range, as a bar of a chart shows them. */
export interface DurationBar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly attempts: number;
}

/** Counts durations in constant memory. Unlike `Histogram` it can be merged and drawn. */
export class Durations {
  readonly #counts = new Uint32Array(bins);
  #total = 0;
  #max = 0;

  /** The longest one, exactly; null when there are none. */
  get max(): number | null {
    return this.#total === 0 ? null : this.#max;
  }

  add(ms: number): void {
    const bin = Math.round(Math.log(Math.max(ms, leastMs) / leastMs) / growth);
    const at = Math.min(bin, bins - 1);
    this.#counts[at] = this.#counts[at]! + 1;
    this.#total++;
    if (ms > this.#max) this.#max = ms;
  }

  merge(other: Durations): void {
    for (let bin = 0; bin < bins; bin++) {
      this.#counts[bin] = this.#counts[bin]! + other.#counts[bin]!;
    }
    this.#total += other.#total;
    this.#max = Math.max(this.#max, other.#max);
  }

  /**
   * The duration that `share` (0 to 1) of all stay below, at most 1 % off and never above the
   * longest; null when there are none.
   */
  percentile(share: number): number | null {
    if (this.#total === 0) return null;
    let left = Math.max(1, Math.ceil(this.#total * share));
    let bin = -1;
    while (left > 0 && bin < bins - 1) left -= this.#counts[++bin]!;
    return Math.min(Number(centreOf(bin).toPrecision(3)), this.#max);
  }

  /** Everything as at most `most` bars of equal width on a logarithmic scale, without gaps. */
  bars(most: number): DurationBar[] {
    if (this.#total === 0) return [];
    const first = this.#counts.findIndex((count) => count > 0);
    const last = this.#counts.findLastIndex((count) => count > 0);
    const step = Math.ceil((last - first + 1) / most);
    const bars: DurationBar[] = [];
    for (let bin = first; bin <= last; bin += step) bars.push(this.#bar(bin, bin + step));
    return bars;
  }

  #bar(from: number, to: number): DurationBar {
    const attempts = this.#counts.subarray(from, to).reduce((sum, count) => sum + count, 0);
    return { fromMs: edgeOf(from), toMs: edgeOf(to), attempts };
  }
}

function centreOf(bin: number): number {
  return leastMs * Math.exp(bin * growth);
}

/** The lower end of a bin; its upper one is that of the next. */
function edgeOf(bin: number): number {
  return Number(centreOf(bin - 0.5).toPrecision(4));
}
