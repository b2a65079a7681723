import type { Overview } from '../../../src/api/serve.js';

/** What is counted up while the service runs, by `source name` or `destination name`. */
type Counts = ReadonlyMap<string, number>;

interface Sample {
  readonly at: number;
  readonly startedAt: string;
  readonly counts: Counts;
}

/** Rates are averages over this time. */
const spanMs = 10_000;

/** Events per second, received and delivered, from the counters of the service. */
export class Rates {
  #samples: Sample[] = [];

  /** @param now in milliseconds, on a clock that only goes forward */
  add(overview: Overview, now: number): void {
    const { startedAt } = overview;
    // A service that was started again counts from zero.
    if (this.#samples.at(-1)?.startedAt !== startedAt) this.#samples = [];
    this.#samples.push({ at: now, startedAt, counts: countsOf(overview) });
    this.#forget(now);
  }

  /** Events a second; 0 while nothing is known. */
  of(kind: 'source' | 'destination', name: string, now: number): number {
    this.#forget(now);
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (!first || !last || now <= first.at) return 0;
    const key = `${kind} ${name}`;
    const passed = Math.max(now - first.at, 1000);
    return ((last.counts.get(key) ?? 0) - (first.counts.get(key) ?? 0)) / (passed / 1000);
  }

  /** Keeps the last one before the span, for it still holds at its beginning. */
  #forget(now: number): void {
    const begin = now - spanMs;
    while (this.#samples.length > 1 && this.#samples[1]!.at <= begin) this.#samples.shift();
    const [first, ...rest] = this.#samples;
    if (first && first.at < begin) this.#samples = [{ ...first, at: begin }, ...rest];
  }
}

/** `0`, `0.4`, `12`, `1,250`. */
export function rateText(rate: number): string {
  if (rate === 0) return '0';
  return rate < 9.95 ? Math.max(rate, 0.1).toFixed(1) : Math.round(rate).toLocaleString('en-US');
}

function countsOf({ sources, destinations }: Overview): Counts {
  return new Map([
    ...sources.map(({ name, received }) => [`source ${name}`, received] as const),
    ...destinations.map(({ name, delivered }) => [`destination ${name}`, delivered] as const),
  ]);
}
