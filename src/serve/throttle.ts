import type { Clock } from '../clock.js';

/** Items since the last report. */
interface Gathered<Item> {
  last: Item;
  count: number;
  cancel: () => void;
}

/**
 * Limits reports of events that may occur thousands of times per second: the first one at once,
 * then one per interval with the number of events.
 */
export class Throttle<Item> {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #report: (last: Item, count: number) => void;
  readonly #gathered = new Map<string, Gathered<Item>>();
  #hasEnded = false;

  constructor(clock: Clock, everyMs: number, report: (last: Item, count: number) => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#report = report;
  }

  /** Items of one key are counted together. `count` is how many occurrences the item represents. */
  add(key: string, item: Item, count = 1): void {
    if (this.#hasEnded) {
      this.#report(item, count);
      return;
    }
    const gathered = this.#gathered.get(key);
    if (gathered) {
      gathered.last = item;
      gathered.count += count;
      return;
    }
    this.#gathered.set(key, { last: item, count: 0, cancel: this.#later(key) });
    this.#report(item, count);
  }

  /**
   * Reports the rest, and from now on everything at once: it sets no more timers.
   *
   * @param isSilent whether the rest is dropped, since the limit holds at the end, too
   */
  end(isSilent = false): void {
    this.#hasEnded = true;
    if (isSilent) this.#report = () => undefined;
    for (const { last, count, cancel } of this.#gathered.values()) {
      cancel();
      if (count > 0) this.#report(last, count);
    }
    this.#gathered.clear();
  }

  #later(key: string): () => void {
    return this.#clock.after(this.#everyMs, () => {
      const gathered = this.#gathered.get(key)!;
      const { last, count } = gathered;
      if (count === 0) {
        this.#gathered.delete(key);
        return;
      }
      gathered.count = 0;
      gathered.cancel = this.#later(key);
      this.#report(last, count);
    });
  }
}
