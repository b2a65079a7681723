/** A list that grows at its end and forgets its oldest items; neither moves the rest. */
export class Tail<T> {
  #items: T[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  /** The item at an index from the oldest, which is 0. */
  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#start + index];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Forgets the oldest `count` items. */
  drop(count: number): void {
    this.#start = Math.min(this.#start + count, this.#items.length);
    if (this.#start * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#start);
    this.#start = 0;
  }

  clear(): void {
    this.#items = [];
    this.#start = 0;
  }

  /** A copy, the oldest first. */
  toArray(): T[] {
    return this.#items.slice(this.#start);
  }
}
