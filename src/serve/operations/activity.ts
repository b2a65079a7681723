import type { Forwarding } from '../forward/forwarding.js';
import { Newest, type Numbered } from './newest.js';
import type { Skip } from './skips.js';

/**
 * How many rows are kept for the page; up to twice as many are in memory. Each attempt in them that failed
 * has at most 4 KB of the body of its response, so failures at one URL take 16 MB at worst, and about a
 * tenth of that with usual responses.
 */
const maxKept = 2_000;

/** A forwarded or skipped event at a destination. */
export type ActivityEntry =
  | { readonly kind: 'forwarding'; readonly forwarding: Forwarding }
  | { readonly kind: 'skip'; readonly skip: Skip & { readonly destination: string } };

/** The latest activity, kept in memory only. */
export class Activity {
  readonly #newest = new Newest<ActivityEntry>(maxKept);
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#newest.size;
  }

  add(activity: ActivityEntry): void {
    this.#newest.add(activity);
    this.#onChange();
  }

  after(number: number, most: number): Numbered<ActivityEntry>[] {
    return this.#newest.after(number, most);
  }

  before(number: number): Generator<Numbered<ActivityEntry>> {
    return this.#newest.before(number);
  }
}
