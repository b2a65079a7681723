/** The newest items, each with a number that counts up from 1. */
export class Newest<Item> {
  readonly #limit: number;
  #items: Item[] = [];
  #last = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of the newest one; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  get size(): number {
    return Math.min(this.#items.length, this.#limit);
  }

  /** Returns its number. */
  add(item: Item): number {
    this.#items.push(item);
    // Removing one at a time would move all others each time.
    if (this.#items.length >= 2 * this.#limit) this.#items = this.#items.slice(-this.#limit);
    return ++this.#last;
  }

  /** Up to `limit` items after this number, the oldest first. */
  after(number: number, limit: number): Numbered<Item>[] {
    const first = this.#last - this.size + 1;
    const start = Math.max(number + 1, first);
    const end = Math.min(this.#last, start + limit - 1);
    const numbered: Numbered<Item>[] = [];
    for (let at = start; at <= end; at++) numbered.push({ number: at, item: this.#at(at) });
    return numbered;
  }

  /** Items before this number, the newest first. */
  *before(number: number): Generator<Numbered<Item>> {
    const first = this.#last - this.size + 1;
    for (let at = Math.min(number - 1, this.#last); at >= first; at--) {
      yield { number: at, item: this.#at(at) };
    }
  }

  #at(number: number): Item {
    return this.#items[this.#items.length - 1 - (this.#last - number)]!;
  }
}

export interface Numbered<Item> {
  readonly number: number;
  readonly item: Item;
}
