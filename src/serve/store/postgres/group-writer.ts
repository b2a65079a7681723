import { StoreUnavailable } from '../../../store/postgres/unavailable.js';

export interface GroupWriterOptions<Item> {
  /** Writes some items in one transaction. */
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** How much of a group an item takes. */
  readonly weightOf: (item: Item) => number;
  readonly maxWeight: number;
  /** Transactions at the same time. */
  readonly parallel: number;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes items in groups: while transactions are open, what comes waits for the next one, so that many callers share a
 * commit and a single one does not wait.
 */
export class GroupWriter<Item> {
  readonly #options: GroupWriterOptions<Item>;
  #waiting: Waiting<Item>[] = [];
  #open = 0;
  #isDue = false;

  constructor(options: GroupWriterOptions<Item>) {
    this.#options = options;
  }

  /** Resolves when it is durable. @throws what `write` throws */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#startSoon();
    });
  }

  /** What arrives in this turn of the event loop is written together. */
  #startSoon(): void {
    if (this.#isDue || this.#open >= this.#options.parallel || this.#waiting.length === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#start();
    });
  }

  #start(): void {
    const group = this.#next();
    if (group.length === 0) return;
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
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  /** One item that cannot be written must not keep the others from it. */
  async #write(group: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.#options.write(group.map(({ item }) => item));
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        // Nor what waits: each group would find out by itself, after its own timeout.
        for (const { reject } of [...group, ...this.#waiting.splice(0)]) reject(error);
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
