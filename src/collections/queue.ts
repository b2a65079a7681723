/** First in, first out, at constant cost: `Array.shift` moves every element of a long array. */
export class Queue<T> {
  #items: (T | undefined)[] = [];
  #start = 0;

  get size(): number {
    return this.#items.length - this.#start;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#start];
    this.#items[this.#start++] = undefined;
    if (this.#start > 1024 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return item;
  }

  /** Removes and returns the item that was added last. */
  pop(): T | undefined {
    return this.size === 0 ? undefined : this.#items.pop();
  }

  /** Empties the queue, and returns what was in it, in order. */
  takeAll(): T[] {
    const items = this.#items.slice(this.#start) as T[];
    this.#items = [];
    this.#start = 0;
    return items;
  }
}
