/** What an item of a `LinkedList` carries: its own place. It is in one list at a time. */
export interface Linked<T> {
  previous?: T | undefined;
  next?: T | undefined;
}

/**
 * Items in the order in which they were added, each taken out at constant cost.
 *
 * A Set does the same, but not for what comes and goes a thousand times between two collections:
 * V8 makes the table of a Set anew each time it has filled up, and what stood in the old ones
 * outlives the quick collections.
 */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first;
  }

  /** It must be in no list. */
  add(item: T): void {
    item.previous = this.#last;
    if (this.#last) this.#last.next = item;
    else this.#first = item;
    this.#last = item;
    this.#size++;
  }

  /** Does nothing to an item that is in no list. */
  delete(item: T): void {
    const { previous, next } = item;
    if (!previous && item !== this.#first) return;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    item.previous = undefined;
    item.next = undefined;
    this.#size--;
  }

  /** What is in it now; the list may change meanwhile. */
  toArray(): T[] {
    const items: T[] = [];
    for (let item = this.#first; item; item = item.next) items.push(item);
    return items;
  }
}
