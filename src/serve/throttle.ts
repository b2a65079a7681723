import type { Clock } from '../clock.js';

/** What has happened since it was told of last. */
interface Gathered<Item> {
  last: Item;
  count: number;
  cancel: () => void;
}

/**
 * Tells of what may happen thousands of times a second: at once when it has been quiet, then so often
 * at most, with how many there were.
 */
export class Throttle<Item> {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #report: (last: Item, count: number) => void;
  readonly #gathered = new Map<string, Gathered<Item>>();
  #hasEnded = false;

  constructor(clock: Clock, everyMs: number, report: (last: Item, count: number) => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#report = report;
  }

  /** Items of one key are counted together. `count`: it stands for so many. */
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

  /** Tells of the rest, and from now on of everything at once: it sets no more timers. */
  end(): void {
    this.#hasEnded = true;
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
