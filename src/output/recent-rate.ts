/** Rates are those of this time; of a minute if fewer than `enough` events ended in it. */
const windowMs = 8_000;
const longWindowMs = 60_000;
const enough = 5;
/** A shorter time says nothing about a rate. */
const minMs = 500;

interface Sample {
  readonly at: number;
  readonly count: number;
}

/** How fast a counter grows, measured over the last seconds. */
export class RecentRate {
  readonly #samples: Sample[] = [];

  /** Notes the counter at a time, in milliseconds of a clock that never goes back. */
  note(at: number, count: number): void {
    this.#samples.push({ at, count });
    while (this.#samples[1] && this.#samples[1].at <= at - longWindowMs) this.#samples.shift();
  }

  /** Per second over the last seconds; 0 before the first half second. */
  perSecond(): number {
    return this.#over(windowMs).rate;
  }

  /** The same for an estimate: slow runs are measured over a longer time. Undefined if nothing happens. */
  forEstimate(): number | undefined {
    const recent = this.#over(windowMs);
    const { rate } = recent.events >= enough ? recent : this.#over(longWindowMs);
    return rate > 0 && recent.events > 0 ? rate : undefined;
  }

  /**
   * Whether the counter grows as fast as this limit, apart from the few events by which two samples of a
   * steady rate can differ.
   */
  isAt(limit: number): boolean {
    const { events, seconds } = this.#over(windowMs);
    return seconds > 0 && Math.abs(events - limit * seconds) <= Math.max(2, 0.1 * limit * seconds);
  }

  #over(spanMs: number): { rate: number; events: number; seconds: number } {
    const last = this.#samples.at(-1);
    const first = last && this.#samples.find(({ at }) => at >= last.at - spanMs);
    if (!last || !first || last.at - first.at < minMs) return { rate: 0, events: 0, seconds: 0 };
    const seconds = (last.at - first.at) / 1000;
    const events = last.count - first.count;
    return { rate: events / seconds, events, seconds };
  }
}
