/** First in, first out, at constant cost: `Array.shift` moves every element of a long array. */
export class Queue<T> {
  #items: (T | undefined)[] = [];
  #headers = 0;

  get size(): number {
    return this.#items.length - this.#headers;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#headers];
    this.#items[this.#headers++] = undefined;
    if (this.#headers > 1024 && this.#headers * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#headers);
      this.#headers = 0;
    }
    return item;
  }

  /** Empties the queue, and returns what was in it, in order. */
  takeAll(): T[] {
    const items = this.#items.slice(this.#headers) as T[];
    this.#items = [];
    this.#headers = 0;
    return items;
  }
}
