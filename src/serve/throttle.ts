import type { Clock } from '../clock.js';

/**
 * Tells of what may happen thousands of times a second: at once when it has been quiet, then so often
 * at most, with how many there were.
 */
export class Throttle<Item> {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #tell: (last: Item, count: number) => void;
  readonly #waiting = new Map<string, { last: Item; count: number }>();

  constructor(clock: Clock, everyMs: number, tell: (last: Item, count: number) => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#tell = tell;
  }

  /** Items of one key are counted together. */
  add(key: string, item: Item): void {
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.last = item;
      waiting.count++;
      return;
    }
    this.#waiting.set(key, { last: item, count: 0 });
    this.#tell(item, 1);
    this.#later(key);
  }

  #later(key: string): void {
    this.#clock.after(this.#everyMs, () => {
      const { last, count } = this.#waiting.get(key)!;
      if (count === 0) {
        this.#waiting.delete(key);
        return;
      }
      this.#waiting.set(key, { last, count: 0 });
      this.#tell(last, count);
      this.#later(key);
    });
  }
}
