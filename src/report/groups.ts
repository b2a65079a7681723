/**
 * One value per key, for a limited number of keys; all later keys share one value, whose key is null.
 * The limit bounds memory: a log may have a new URL on every line.
 */
export class Groups<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #make: () => Value;
  readonly #most: number;
  #rest: Value | undefined;

  constructor(make: () => Value, most = 1_000) {
    this.#make = make;
    this.#most = most;
  }

  of(key: Key): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    if (this.#values.size >= this.#most) return (this.#rest ??= this.#make());
    const value = this.#make();
    this.#values.set(key, value);
    return value;
  }

  /** In the order of their first use; the shared value last. */
  entries(): [key: Key | null, value: Value][] {
    const named: [Key | null, Value][] = [...this.#values];
    return this.#rest === undefined ? named : [...named, [null, this.#rest]];
  }
}
