import type { Series, SeriesQuery } from '../../api/serve.js';
import type { Clock } from '../../clock.js';
import { timeOf } from './api-records.js';
import { StepRing, type SeriesName } from './step-ring.js';

/** Steps of 10 seconds for an hour, and of 5 minutes for a day: up to 10 KB per destination. */
const resolutions = { fine: { stepMs: 10_000, size: 361 }, coarse: { stepMs: 300_000, size: 289 } };

type Resolution = keyof typeof resolutions;

/** Steps of each span; the last one is not complete. */
const spans = {
  '15m': { resolution: 'fine', steps: 91 },
  '1h': { resolution: 'fine', steps: 361 },
  '24h': { resolution: 'coarse', steps: 289 },
} as const;

const sampleMs = 10_000;

type Rings = Readonly<Record<Resolution, StepRing>>;

/**
 * What happened over time, of everything and of each destination; in memory only. Steps are counted on the
 * monotonic clock, so that a jump of the time of day neither loses nor repeats any.
 */
export class Timeline {
  readonly #clock: Clock;
  readonly #waiting: () => ReadonlyMap<string, number>;
  /** The time of day at the start, less the monotonic time. */
  readonly #origin: number;
  readonly #startedAt: number;
  readonly #all: Rings;
  readonly #destinations = new Map<string, Rings>();
  #cancel: (() => void) | undefined;

  /** @param waiting how many events wait now, by destination; called every 10 seconds */
  constructor(clock: Clock, waiting: () => ReadonlyMap<string, number>) {
    this.#clock = clock;
    this.#waiting = waiting;
    this.#startedAt = clock.now();
    this.#origin = this.#startedAt - clock.monotonic();
    this.#all = this.#newRings();
    this.#sampleLater();
  }

  /** @param destination undefined for what concerns no single one */
  add(name: Exclude<SeriesName, 'waiting'>, destination: string | undefined, count = 1): void {
    const rings = destination === undefined ? this.#all : this.#ringsOf(destination);
    rings.fine.add(this.#step('fine'), name, count);
    rings.coarse.add(this.#step('coarse'), name, count);
  }

  read({ span = '1h', destination, from = 0 }: SeriesQuery): Series {
    this.#sample();
    const { resolution, steps } = spans[span];
    const { stepMs } = resolutions[resolution];
    const rings = destination === undefined ? this.#all : this.#destinations.get(destination);
    const ring = (rings ?? this.#newRings())[resolution];
    const next = this.#step(resolution);
    const first = Math.min(next, Math.max(from, next - steps + 1, ring.firstAt(next)));
    const read = (name: SeriesName): number[] => ring.read(name, first, next);
    return {
      stepSeconds: stepMs / 1000,
      from: timeOf(first * stepMs + this.#correction),
      ...{ first, next, received: read('received'), delivered: read('delivered') },
      ...{ failedAttempts: read('failedAttempts'), waiting: read('waiting') },
    };
  }

  /** What was delivered to a destination, and failed, in the last minute: the current step and six before it. */
  lastMinute(destination: string): Record<'delivered' | 'failedAttempts', number> {
    const ring = this.#destinations.get(destination)?.fine;
    const next = this.#step('fine');
    const sum = (name: SeriesName): number =>
      ring?.read(name, Math.max(next - 6, ring.firstAt(next)), next).reduce((a, b) => a + b, 0) ??
      0;
    return { delivered: sum('delivered'), failedAttempts: sum('failedAttempts') };
  }

  /** Samples no more. */
  end(): void {
    this.#cancel?.();
  }

  #step(resolution: Resolution): number {
    return stepAt(this.#origin + this.#clock.monotonic(), resolution);
  }

  /** By how much the time of day was corrected since the start; in whole seconds, to hide its drift. */
  get #correction(): number {
    const correctionMs = this.#clock.now() - this.#clock.monotonic() - this.#origin;
    return Math.round(correctionMs / 1000) * 1000;
  }

  #newRings(): Rings {
    const ring = (resolution: Resolution): StepRing =>
      new StepRing(resolutions[resolution].size, stepAt(this.#startedAt, resolution));
    return { fine: ring('fine'), coarse: ring('coarse') };
  }

  #ringsOf(destination: string): Rings {
    const found = this.#destinations.get(destination);
    if (found) return found;
    const rings = this.#newRings();
    this.#destinations.set(destination, rings);
    return rings;
  }

  #sample(): void {
    const waiting = this.#waiting();
    let sum = 0;
    for (const [destination, count] of waiting) {
      sum += count;
      this.#setWaiting(this.#ringsOf(destination), count);
    }
    this.#setWaiting(this.#all, sum);
    for (const [destination, rings] of this.#destinations) {
      if (!waiting.has(destination)) this.#fade(destination, rings);
    }
  }

  /** Nothing waits for a removed destination; it is forgotten when its last steps are a day old. */
  #fade(destination: string, rings: Rings): void {
    this.#setWaiting(rings, 0);
    if (rings.coarse.isEmpty) this.#destinations.delete(destination);
  }

  #setWaiting({ fine, coarse }: Rings, count: number): void {
    fine.setWaiting(this.#step('fine'), count);
    coarse.setWaiting(this.#step('coarse'), count);
  }

  #sampleLater(): void {
    const sample = (): void => {
      this.#sample();
      this.#sampleLater();
    };
    this.#cancel = this.#clock.after(sampleMs, sample, { keepsAlive: false });
  }
}

function stepAt(timeMs: number, resolution: Resolution): number {
  return Math.floor(timeMs / resolutions[resolution].stepMs);
}
