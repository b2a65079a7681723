import { endedOf, type StateChanges, type OutcomeCounts } from './store.js';

/** Counts the rows of each commit: events that have ended, and those that wait for a retry. */
export class RowCount {
  #ended: number;

  /** `counts`: those before the first commit. */
  constructor(counts?: OutcomeCounts) {
    this.#ended = counts ? endedOf(counts) : 0;
  }

  /** The rows of the next commit. */
  of({ counts, putRetries }: Pick<StateChanges, 'counts' | 'putRetries'>): number {
    const before = this.#ended;
    this.#ended = endedOf(counts);
    return this.#ended - before + putRetries.length;
  }
}
