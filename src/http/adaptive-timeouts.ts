import type { Clock } from '../clock.js';
import { Timeouts, type Timed } from './timeouts.js';

/** So many items get the brief limit after one has come due at the full one; doubled each time. */
const leastBrief = 64;
const mostBrief = 4_096;

/**
 * A time limit for waits that usually end early, and seldom do so when one has not: after an item has come
 * due, the next ones get a brief limit, and now and then one gets the full limit again.
 */
export class AdaptiveTimeouts<T extends Timed<T>> {
  readonly #full: Timeouts<T>;
  readonly #brief: Timeouts<T>;
  /** How many of the next items get the brief limit. */
  #briefLeft = 0;
  #nextBrief = leastBrief;

  /** Both limits in milliseconds. */
  constructor(fullMs: number, briefMs: number, onDue: (item: T) => void, clock: Clock) {
    this.#brief = new Timeouts(briefMs, onDue, clock);
    const onFullDue = (item: T): void => {
      this.#learn();
      onDue(item);
    };
    const onEarly = (): void => void (this.#nextBrief = leastBrief);
    this.#full = new WatchedTimeouts(fullMs, onFullDue, clock, onEarly);
  }

  get size(): number {
    return this.#full.size + this.#brief.size;
  }

  /** The limit for the next item, which is to be added to it. */
  next(): Timeouts<T> {
    if (this.#briefLeft === 0) return this.#full;
    this.#briefLeft--;
    return this.#brief;
  }

  /** Stops the timers, and returns the remaining items. */
  takeAll(): T[] {
    return [...this.#full.takeAll(), ...this.#brief.takeAll()];
  }

  /** Of many that come due together, the first one counts. */
  #learn(): void {
    if (this.#briefLeft > 0) return;
    this.#briefLeft = this.#nextBrief;
    this.#nextBrief = Math.min(2 * this.#nextBrief, mostBrief);
  }
}

/** Tells when an item is taken out before it comes due. */
class WatchedTimeouts<T extends Timed<T>> extends Timeouts<T> {
  readonly #onEarly: () => void;

  constructor(afterMs: number, onDue: (item: T) => void, clock: Clock, onEarly: () => void) {
    super(afterMs, onDue, clock);
    this.#onEarly = onEarly;
  }

  override delete(item: T): void {
    const { size } = this;
    super.delete(item);
    if (this.size < size) this.#onEarly();
  }
}
