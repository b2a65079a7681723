/** A value that many look at and that is replaced as a whole. */
export class Store<T extends object> {
  #value: T;
  readonly #watchers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Replaces some members, and notifies all subscribers. */
  set(change: Partial<T>): void {
    this.#value = { ...this.#value, ...change };
    for (const watcher of this.#watchers) watcher();
  }

  /** Returns what ends it. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}
