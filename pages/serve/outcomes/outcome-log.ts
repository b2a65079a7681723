import type { EventAtDestination } from '../../../src/api/serve.js';

/** The newest outcomes, one for each event and destination. */
export class OutcomeLog {
  readonly #maxKept: number;
  /** In the order of arrival, the newest last. */
  readonly #kept = new Map<string, EventAtDestination>();
  #arrived = 0;

  constructor(maxKept: number) {
    this.#maxKept = maxKept;
  }

  /** The number of outcomes received so far. */
  get arrived(): number {
    return this.#arrived;
  }

  get size(): number {
    return this.#kept.size;
  }

  add(outcomes: readonly EventAtDestination[]): void {
    this.#arrived += outcomes.length;
    for (const outcome of outcomes) {
      this.#kept.delete(outcome.id);
      this.#kept.set(outcome.id, outcome);
    }
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxKept) break;
      this.#kept.delete(key);
    }
  }

  clear(): void {
    this.#kept.clear();
  }

  /** The newest first. */
  toArray(): EventAtDestination[] {
    return [...this.#kept.values()].reverse();
  }
}
