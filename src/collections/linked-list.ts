/** The neighbors of an item of a `LinkedList`, stored in the item. It is in at most one list. */
export interface Linked<T> {
  previous?: T | undefined;
  next?: T | undefined;
}

/**
 * Items in the order in which they were added, each removed at constant cost.
 *
 * Not a Set: V8 allocates a new table each time a Set has filled up, and with thousands of additions
 * and removals between two garbage collections, the items of old tables survive into the old generation.
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

  /** The item must not be in a list. */
  add(item: T): void {
    item.previous = this.#last;
    if (this.#last) this.#last.next = item;
    else this.#first = item;
    this.#last = item;
    this.#size++;
  }

  /** Ignores an item that is not in a list. */
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

  /** A copy, so the list may change while it is iterated. */
  toArray(): T[] {
    const items: T[] = [];
    for (let item = this.#first; item; item = item.next) items.push(item);
    return items;
  }
}
