import { StoreUnavailable } from '../../../store/postgres/unavailable.js';

export interface GroupWriterOptions<Item> {
  /** Writes some items in one transaction. */
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** How much of a group an item takes. */
  readonly weightOf: (item: Item) => number;
  readonly maxWeight: number;
  /** Transactions at the same time: the second and later ones for full groups only, as each one costs the same. */
  readonly parallel: number;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes items in groups: while a transaction is open, what comes waits for the next one, so that many callers share a
 * commit and a single one does not wait.
 */
export class GroupWriter<Item> {
  readonly #options: GroupWriterOptions<Item>;
  #waiting: Waiting<Item>[] = [];
  #weight = 0;
  #open = 0;
  #isDue = false;

  constructor(options: GroupWriterOptions<Item>) {
    this.#options = options;
  }

  /** Resolves when it is durable. @throws what `write` throws */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#weight += this.#options.weightOf(item);
      this.#startSoon();
    });
  }

  /** What arrives in this turn of the event loop is written together. */
  #startSoon(): void {
    if (this.#isDue || !this.#mayStart()) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#start();
    });
  }

  #mayStart(): boolean {
    const { parallel, maxWeight } = this.#options;
    if (this.#open === 0) return this.#waiting.length > 0;
    return this.#open < parallel && this.#weight >= maxWeight;
  }

  #start(): void {
    if (!this.#mayStart()) return;
    const group = this.#next();
    this.#open++;
    void this.#write(group).finally(() => {
      this.#open--;
      this.#startSoon();
    });
    this.#startSoon();
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

  /** One item that cannot be written must not keep the others from it. */
  async #write(group: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.#options.write(group.map(({ item }) => item));
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        // Nor what waits: each group would find out by itself, after its own timeout.
        for (const { reject } of [...group, ...this.#take(this.#waiting.length)]) reject(error);
        return;
      }
      if (group.length === 1) {
        group[0]!.reject(error);
        return;
      }
      for (const one of group) await this.#write([one]);
      return;
    }
    for (const { resolve } of group) resolve();
  }
}
