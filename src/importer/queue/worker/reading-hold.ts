import { defaults } from '../../../defaults.js';
import type { RunSnapshot } from '../run-record.js';
import type { HeldItem } from './held-item.js';

export interface ReadingHoldOptions {
  /** Events of the run that wait for a retry before reading pauses. Default: 10,000. */
  readonly maxWaiting?: number | undefined;
  /** The items in hand. */
  readonly items: () => Iterable<HeldItem>;
}

/**
 * Pauses reading while too many events of a run wait for a retry, over all workers; retries are sent on. It
 * knows their number from the last look at the run, and what this worker has added since.
 */
export class ReadingHold {
  readonly #maxWaiting: number;
  readonly #items: () => Iterable<HeldItem>;
  /** Unknown before the first look, so that a worker that joins reads nothing it may not. */
  #waiting: number | undefined;

  constructor({ maxWaiting = defaults.maxWaiting, items }: ReadingHoldOptions) {
    this.#maxWaiting = maxWaiting;
    this.#items = items;
  }

  /** Whether nothing may be read now. */
  get isHeld(): boolean {
    return this.#waiting === undefined || this.#waiting >= this.#maxWaiting;
  }

  looked(snapshot: RunSnapshot): void {
    this.#set(waitingIn(snapshot));
  }

  /** This worker has stored so many retries. */
  added(retries: number): void {
    if (this.#waiting !== undefined) this.#set(this.#waiting + retries);
  }

  #set(waiting: number): void {
    const wasHeld = this.isHeld;
    this.#waiting = waiting;
    const { isHeld } = this;
    if (isHeld === wasHeld) return;
    for (const item of this.#items()) item.holdReading(isHeld);
  }
}

/**
 * Events that wait and can still be sent: nothing ends those of a batch that failed, of one event at least,
 * before `runs verify` puts it back.
 */
function waitingIn({ stats, failedRetries, nextDueAt }: RunSnapshot): number {
  return nextDueAt === Infinity ? 0 : (stats.retrying ?? 0) - failedRetries;
}
