import type { Clock } from '../../clock.js';
import { ClockSetback } from '../../storage/clock-setback.js';
import type { StateFile } from '../../storage/state-file.js';

/**
 * Moves the times of retries that lie in the future since the time of day was set back: else they
 * would wait until the clock has caught up. Nothing else is rewritten, for the clock may be wrong for
 * a moment only (a start before NTP, a snapshot of a virtual machine): a retry that is then due early
 * does no harm, an event that has become older would expire.
 */
export class RetryTimes {
  readonly #connection: StateFile;
  readonly #clock: Clock;
  readonly #setback: ClockSetback;
  #isCorrected = false;

  constructor(connection: StateFile, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#setback = new ClockSetback(clock);
  }

  /** Whether the time of day was set back since the last correction. */
  get isSetBack(): boolean {
    return this.#setback.isSeen;
  }

  /**
   * Within a transaction: each retry is due when it was due before, by the monotonic clock. What is
   * later than its own delay from now is that only because of the clock, since nothing waits longer.
   */
  correct(): void {
    this.#correctBy(this.#setback.ms);
    this.#isCorrected = true;
  }

  /** The transaction that has corrected it is durable. */
  committed(): void {
    if (this.#isCorrected) this.#setback.reset();
    this.#isCorrected = false;
  }

  rolledBack(): void {
    this.#isCorrected = false;
  }

  /** Within a transaction, at the start: how far it was set back meanwhile is not known. */
  correctAtStart(): void {
    this.#correctBy(0);
  }

  #correctBy(backMs: number): void {
    const now = this.#clock.now();
    this.#connection.run(moveRetries, backMs, now, now, now);
  }
}

const moveRetries = `UPDATE delivery SET due_at = min(due_at - ?, ? + delay_ms)
  WHERE due_at > ? AND due_at > ? + delay_ms`;
