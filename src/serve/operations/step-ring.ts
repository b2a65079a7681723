/** What is counted per step, and `waiting`, which holds until it is set again. */
export const seriesNames = ['received', 'delivered', 'failedAttempts', 'waiting'] as const;

export type SeriesName = (typeof seriesNames)[number];

/** The newest steps of one length, each with its numbers; the oldest are overwritten. */
export class StepRing {
  readonly #size: number;
  /** An array is created with the first number that is not zero: a destination that never fails has none of failures. */
  readonly #values: Partial<Record<SeriesName, Uint32Array>> = {};
  /** Number of the step that the ring begins with. */
  readonly #begin: number;
  #last: number;

  /**
   * @param size how many steps are kept
   * @param begin number of the first step; steps have consecutive numbers
   */
  constructor(size: number, begin: number) {
    this.#size = size;
    this.#begin = this.#last = begin;
  }

  /** Whether all its numbers are zero. */
  get isEmpty(): boolean {
    return seriesNames.every((name) => this.#values[name]?.every((count) => count === 0) ?? true);
  }

  /** @param step not before one that was passed earlier */
  add(step: number, name: SeriesName, count: number): void {
    this.#advance(step);
    if (count > 0) this.#arrayOf(name)[step % this.#size]! += count;
  }

  setWaiting(step: number, count: number): void {
    this.#advance(step);
    if (count > 0 || this.#values.waiting) this.#arrayOf('waiting')[step % this.#size] = count;
  }

  /** Number of the first kept step when `step` is the current one. */
  firstAt(step: number): number {
    return Math.max(this.#begin, step - this.#size + 1);
  }

  /** The numbers of the steps from `first` to `step`; they are kept. */
  read(name: SeriesName, first: number, step: number): number[] {
    this.#advance(step);
    const values = this.#values[name];
    return Array.from(
      { length: step - first + 1 },
      (_, i) => values?.[(first + i) % this.#size] ?? 0,
    );
  }

  #arrayOf(name: SeriesName): Uint32Array {
    return (this.#values[name] ??= new Uint32Array(this.#size));
  }

  /** Begins the steps up to this one: nothing is counted in them yet, and what waited still waits. */
  #advance(step: number): void {
    const { waiting } = this.#values;
    const waits = waiting?.[this.#last % this.#size] ?? 0;
    // After a pause longer than the ring, each of its places is cleared once.
    for (let at = Math.max(this.#last + 1, step - this.#size + 1); at <= step; at++) {
      for (const values of Object.values(this.#values)) values[at % this.#size] = 0;
      if (waiting) waiting[at % this.#size] = waits;
    }
    this.#last = Math.max(this.#last, step);
  }
}
