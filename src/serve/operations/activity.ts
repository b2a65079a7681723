import type { EventRecord } from '../event-record.js';
import { Newest, type Numbered } from './newest.js';

/**
 * How many rows are kept for the page; up to twice as many are in memory. Each attempt in them that failed
 * has at most 4 KB of the body of its response, so failures at one URL take 16 MB at worst, and about a
 * tenth of that with usual responses.
 */
const maxKept = 2_000;

/** The latest events that were forwarded to a destination, or skipped, kept in memory only. */
export class Activity {
  readonly #newest = new Newest<EventRecord>(maxKept);
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#newest.size;
  }

  add(record: EventRecord): void {
    this.#newest.add(record);
    this.#onChange();
  }

  after(number: number, most: number): Numbered<EventRecord>[] {
    return this.#newest.after(number, most);
  }

  before(number: number): Generator<Numbered<EventRecord>> {
    return this.#newest.before(number);
  }
}
