import { endedOf, type StateChanges, type OutcomeCounts } from './store.js';

/** A dead letter counts as one more row for each of these bytes, so that limits of rows limit memory, too. */
const bytesPerRow = 16 * 1024;

/** Counts the rows of each commit: events that have ended, and those that wait for a retry. */
export class RowCount {
  #ended: number;

  /** `counts`: those before the first commit. */
  constructor(counts?: OutcomeCounts) {
    this.#ended = counts ? endedOf(counts) : 0;
  }

  /** The rows of the next commit. */
  of({
    counts,
    putRetries,
    addDeadLetters,
  }: Pick<StateChanges, 'counts' | 'putRetries' | 'addDeadLetters'>): number {
    const before = this.#ended;
    this.#ended = endedOf(counts);
    const bytes = addDeadLetters.reduce((sum, { length }) => sum + length, 0);
    return this.#ended - before + putRetries.length + Math.floor(bytes / bytesPerRow);
  }
}
