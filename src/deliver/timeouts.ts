import { LinkedList, type Linked } from './linked-list.js';

/** setTimeout fires at once for a longer delay than this (2^31 - 1 ms). */
const longestTimerMs = 2_147_483_647;
/** A timer counts whole milliseconds: what is nearer than this is due. */
const nearMs = 0.5;

/** Something that may take so long and no longer. */
export interface Timed<T> extends Linked<T> {
  /** When it began, by `performance.now()`; later than, or at, that of the one added before it. */
  readonly since: number;
}

/**
 * One timer for many items that all may take equally long, so that the first of them is due first.
 * It does not keep the process alive; what the items wait for does.
 */
export class Timeouts<T extends Timed<T>> {
  readonly #afterMs: number;
  readonly #onDue: (item: T) => void;
  readonly #items = new LinkedList<T>();
  #timer: NodeJS.Timeout | undefined;

  constructor(afterMs: number, onDue: (item: T) => void) {
    this.#afterMs = afterMs;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#items.size;
  }

  add(item: T): void {
    this.#items.add(item);
    if (this.#timer === undefined) this.#wakeAfter(this.#afterMs);
  }

  delete(item: T): void {
    this.#items.delete(item);
  }

  /** Stops counting, and returns what was left, in order. */
  takeAll(): T[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#items.toArray();
    for (const item of items) this.#items.delete(item);
    return items;
  }

  #wakeAfter(delayMs: number): void {
    const wholeMs = Math.min(Math.ceil(delayMs), longestTimerMs);
    this.#timer = setTimeout(() => this.#wake(), wholeMs).unref();
  }

  /** The timer stays set meanwhile: an item that is added now is not the first to come due. */
  #wake(): void {
    const leftMs = this.#endDue(performance.now());
    this.#timer = undefined;
    if (leftMs !== undefined) this.#wakeAfter(leftMs);
  }

  /** Returns how long until the next one is due, if there is one. */
  #endDue(now: number): number | undefined {
    for (let item = this.#items.first; item; item = this.#items.first) {
      const leftMs = item.since + this.#afterMs - now;
      if (leftMs > nearMs) return leftMs;
      this.#items.delete(item);
      this.#onDue(item);
    }
    return undefined;
  }
}
