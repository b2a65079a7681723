import { defaults } from '../../../defaults.js';
import type { RunSnapshot } from '../run-record.js';
import type { HeldItem } from './held-item.js';

export interface ReadingHoldOptions {
  /** Events of the run that wait for a retry before reading pauses. Default: 10,000. */
  readonly maxWaiting?: number | undefined;
  /** The items in hand. */
  readonly items: () => Iterable<HeldItem>;
  /** Reading pauses as so many events wait, or has gone on for good. */
  readonly onChange: (isHeld: boolean, waiting: number) => void;
}

/**
 * Pauses reading while too many events of a run wait for a retry, over all workers; retries are sent on. It
 * knows their number from the last look at the run, and what this worker has added since.
 */
export class ReadingHold {
  readonly #maxWaiting: number;
  readonly #items: () => Iterable<HeldItem>;
  readonly #onChange: ReadingHoldOptions['onChange'];
  /** Whether `onChange` has said that reading is paused. */
  #isReported = false;
  /** Unknown before the first look, so that a worker that joins reads nothing it may not. */
  #waiting: number | undefined;

  constructor({ maxWaiting = defaults.maxWaiting, items, onChange }: ReadingHoldOptions) {
    this.#maxWaiting = maxWaiting;
    this.#items = items;
    this.#onChange = onChange;
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
    if (isHeld !== wasHeld) for (const item of this.#items()) item.holdReading(isHeld);
    this.#report(isHeld, waiting);
  }

  /** About the limit it changes many times: it is said to be over when half of the events have gone. */
  #report(isHeld: boolean, waiting: number): void {
    const isChange = this.#isReported ? waiting < this.#maxWaiting / 2 : isHeld;
    if (!isChange) return;
    this.#isReported = !this.#isReported;
    this.#onChange(this.#isReported, waiting);
  }
}

/**
 * Events that wait and can still be sent: nothing ends those of a batch that failed, of one event at least,
 * before `runs verify` puts it back.
 */
function waitingIn({ stats, failedRetries, nextDueAt }: RunSnapshot): number {
  return nextDueAt === Infinity ? 0 : (stats.retrying ?? 0) - failedRetries;
}
