/** How often each value occurs among what is kept. */
export class Counts<T> {
  readonly #counts = new Map<T, number>();

  get size(): number {
    return this.#counts.size;
  }

  has(value: T): boolean {
    return this.#counts.has(value);
  }

  /** In the order of their first occurrence. */
  values(): T[] {
    return [...this.#counts.keys()];
  }

  change(value: T, by: 1 | -1): void {
    const count = (this.#counts.get(value) ?? 0) + by;
    if (count > 0) this.#counts.set(value, count);
    else this.#counts.delete(value);
  }

  clear(): void {
    this.#counts.clear();
  }
}
