import type { Clock } from '../clock.js';
import { LinkedList, type Linked } from '../collections/linked-list.js';

/** A timer counts whole milliseconds: an item due sooner than this counts as due. */
const nearMs = 0.5;

/** An item with a time limit. */
export interface Timed<T> extends Linked<T> {
  /** When it began, by `Clock.monotonic()`; not before that of the item added before it. */
  readonly since: number;
}

/**
 * One timer for many items with the same time limit, so that they come due in the order they were added.
 * The timer does not keep the process alive; what the items wait for does.
 */
export class Timeouts<T extends Timed<T>> {
  readonly #afterMs: number;
  readonly #onDue: (item: T) => void;
  readonly #clock: Clock;
  readonly #items = new LinkedList<T>();
  #cancel: (() => void) | undefined;

  constructor(afterMs: number, onDue: (item: T) => void, clock: Clock) {
    this.#afterMs = afterMs;
    this.#onDue = onDue;
    this.#clock = clock;
  }

  get size(): number {
    return this.#items.size;
  }

  /** The one that is due first. */
  get first(): T | undefined {
    return this.#items.first;
  }

  /** The one that is due first comes first. */
  toArray(): T[] {
    return this.#items.toArray();
  }

  add(item: T): void {
    this.#items.add(item);
    if (this.#cancel === undefined) this.#wakeAfter(this.#afterMs);
  }

  delete(item: T): void {
    this.#items.delete(item);
  }

  /** Stops the timer, and returns the remaining items in order. */
  takeAll(): T[] {
    this.#cancel?.();
    this.#cancel = undefined;
    const items = this.#items.toArray();
    for (const item of items) this.#items.delete(item);
    return items;
  }

  #wakeAfter(delayMs: number): void {
    // Rounded up, since a timer that fires early would have to be set again.
    this.#cancel = this.#clock.after(Math.ceil(delayMs), () => this.#wake(), { keepsAlive: false });
  }

  /**
   * The timer counts as set meanwhile, since an item that is added now is not the first to come due.
   * Errors of `onDue` are thrown after all due items were handled and the timer was set again.
   */
  #wake(): void {
    const errors: unknown[] = [];
    const leftMs = this.#endDue(errors);
    this.#cancel = undefined;
    if (leftMs !== undefined) this.#wakeAfter(leftMs);
    if (errors.length > 1) throw new AggregateError(errors, 'several deadlines could not be ended');
    if (errors.length === 1) throw errors[0];
  }

  /** Returns the time until the next item is due, if there is one. */
  #endDue(errors: unknown[]): number | undefined {
    const now = this.#clock.monotonic();
    for (let item = this.#items.first; item; item = this.#items.first) {
      const leftMs = item.since + this.#afterMs - now;
      if (leftMs > nearMs) return leftMs;
      this.#items.delete(item);
      try {
        this.#onDue(item);
      } catch (error) {
        errors.push(error);
      }
    }
    return undefined;
  }
}
