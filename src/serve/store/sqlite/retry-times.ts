import type { Clock } from '../../../clock.js';
import { ClockSetback } from '../../../storage/clock-setback.js';
import type { StateFile } from '../../../storage/state-file.js';

/**
 * Moves retry times back when the time of day was set back: otherwise they would wait until the clock
 * has caught up. No other times are rewritten, since the clock may be wrong only briefly (a start
 * before NTP, a snapshot of a virtual machine): an early retry does no harm, but an event that seems
 * older would expire.
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
   * Within a transaction: keeps the due time of each retry by the monotonic clock. A retry cannot be
   * due later than its own delay from now, so later times are lowered to that.
   */
  correct(): void {
    this.#correctBy(this.#setback.ms);
    this.#isCorrected = true;
  }

  /** The transaction with the correction is durable. */
  committed(): void {
    if (this.#isCorrected) this.#setback.reset();
    this.#isCorrected = false;
  }

  rolledBack(): void {
    this.#isCorrected = false;
  }

  /** Within a transaction, at the start: how far the clock was set back meanwhile is unknown. */
  correctAtStart(): void {
    this.#correctBy(0);
  }

  #correctBy(backMs: number): void {
    const now = this.#clock.now();
    this.#connection.run(moveRetries, backMs, now, now, now);
  }
}

const moveRetries = `UPDATE retry SET due_at = min(due_at - ?, ? + delay_ms)
  WHERE due_at > ? AND due_at > ? + delay_ms`;
