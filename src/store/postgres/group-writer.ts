import type { Clock } from '../../clock.js';
import { StoreUnavailable } from './unavailable.js';

export interface GroupWriterOptions<Item> {
  readonly clock: Clock;
  /** Writes some items in one transaction. */
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** How much of a group an item takes. Default: 1. */
  readonly weightOf?: (item: Item) => number;
  readonly maxWeight: number;
  /** Transactions at the same time, at most. */
  readonly parallel: number;
  /**
   * Whether no other process keeps the server busy while a group of this one gathers. Default: always, so that a group
   * waits 1 ms at most for more while no other one is written.
   */
  readonly isAlone?: () => boolean;
}

/**
 * From this number of concurrent items on, fewer and larger groups are written: a transaction costs as much as dozens
 * of events, and many callers add the next item as soon as the last one is written. With fewer, each item is written
 * at once.
 */
const busyItems = 16;
/** From how many of the last groups the number of concurrent items is estimated. */
const recentGroups = 4;
/** How long a group that is too small waits for more. */
const lingerMs = 1;
/** The same beside other processes: they use the server meanwhile, and larger groups cost it less. */
const sharedLingerMs = 3;
/** How long it waits while another group is written, which may wait for a lock. */
const slowMs = 50;

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Writes items in groups, so that many callers share a commit and a single one does not wait. */
export class GroupWriter<Item> {
  readonly #options: Required<GroupWriterOptions<Item>>;
  #waiting: Waiting<Item>[] = [];
  #weight = 0;
  #open = 0;
  #openItems = 0;
  /** How many items waited or were written when each of the last groups was started. */
  readonly #recent: number[] = [];
  #isDue = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: GroupWriterOptions<Item>) {
    this.#options = { weightOf: () => 1, isAlone: () => true, ...options };
  }

  /** Resolves when it is durable. @throws what `write` throws */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#weight += this.#options.weightOf(item);
      this.#startSoon();
    });
  }

  #startSoon(): void {
    const { parallel, clock } = this.#options;
    if (this.#isDue || this.#waiting.length === 0 || this.#open >= parallel) return;
    const delayMs = this.#delayMs;
    if (delayMs > 0) {
      this.#cancelTimer ??= clock.after(delayMs, () => this.#start());
      return;
    }
    // Otherwise the timer would start another group beside this one.
    this.#stopTimer();
    this.#isDue = true;
    // What arrives in this turn of the event loop is written together.
    setImmediate(() => this.#start());
  }

  /** How long to wait for more items. */
  get #delayMs(): number {
    const { maxWeight, isAlone } = this.#options;
    if (this.#weight >= maxWeight || this.#waiting.length >= this.#wanted) return 0;
    if (this.#open > 0) return slowMs;
    return isAlone() ? lingerMs : sharedLingerMs;
  }

  /**
   * How many items are a group: half of them all, so that one half gathers while the other one is written. Beside
   * other processes, whose groups are written meanwhile, all.
   */
  get #wanted(): number {
    const most = Math.max(...this.#recent);
    if (most < busyItems) return 1;
    return this.#options.isAlone() ? most / 2 : most;
  }

  #start(): void {
    this.#isDue = false;
    this.#stopTimer();
    const items = this.#openItems + this.#waiting.length;
    const group = this.#next();
    if (group.length === 0) return;
    if (this.#recent.push(items) > recentGroups) this.#recent.shift();
    this.#open++;
    this.#openItems += group.length;
    void this.#write(group).finally(() => {
      this.#open--;
      this.#openItems -= group.length;
      this.#stopTimer();
      this.#startSoon();
    });
    this.#startSoon();
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #next(): Waiting<Item>[] {
    const { weightOf, maxWeight } = this.#options;
    let weight = 0;
    const end = this.#waiting.findIndex(({ item }, index) => {
      weight += weightOf(item);
      return index > 0 && weight > maxWeight;
    });
    return this.#take(end === -1 ? this.#waiting.length : end);
  }

  #take(count: number): Waiting<Item>[] {
    const taken = this.#waiting.splice(0, count);
    for (const { item } of taken) this.#weight -= this.#options.weightOf(item);
    return taken;
  }

  /** Returns why the store was not available. */
  async #write(group: readonly Waiting<Item>[]): Promise<StoreUnavailable | undefined> {
    try {
      await this.#options.write(group.map(({ item }) => item));
    } catch (error) {
      return this.#writeRest(group, error);
    }
    for (const { resolve } of group) resolve();
    return undefined;
  }

  /** One item that cannot be written must not keep the others from it. */
  async #writeRest(
    group: readonly Waiting<Item>[],
    error: unknown,
  ): Promise<StoreUnavailable | undefined> {
    if (error instanceof StoreUnavailable) {
      // Nor what waits: each group would find out by itself, after its own timeout.
      for (const { reject } of [...group, ...this.#take(this.#waiting.length)]) reject(error);
      return error;
    }
    if (group.length === 1) {
      group[0]!.reject(error);
      return undefined;
    }
    const half = Math.ceil(group.length / 2);
    const unavailable = await this.#write(group.slice(0, half));
    return unavailable
      ? this.#writeRest(group.slice(half), unavailable)
      : this.#write(group.slice(half));
  }
}
