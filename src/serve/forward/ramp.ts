import type { Clock } from '../../clock.js';

/** Events in the first moment, per second. */
const firstRate = 50;
const doublingMs = 500;
/** By then the rate is 51,200 a second, more than one process can send. */
const lengthMs = 5_000;
/** Timers are late; what became due within this time is sent at once. */
const slackMs = 50;
/** A longer time between two events counts as this long, so that a ramp that is not used does not rise. */
const longestStepMs = 100;

/**
 * Limits how fast a backlog is sent after an outage, so that an endpoint that has just come back is not
 * flooded: the rate doubles every half second, and after 5 s of sending there is no limit.
 */
export class Ramp {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** When the next event may be sent, and when the last one was; by the monotonic clock. */
  #nextAt: number;
  #lastAt: number;
  /** How long it has been in use. */
  #usedMs = 0;

  /** Begins now. */
  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#nextAt = this.#lastAt = clock.monotonic();
  }

  /** Whether there is no limit anymore. */
  get isOver(): boolean {
    return this.#usedMs >= lengthMs;
  }

  /** When the next event may be sent, by the monotonic clock; in the past if it may be sent now. */
  get nextAt(): number {
    return this.#nextAt;
  }

  /** Counts an event that is sent now. */
  count(): void {
    const now = this.#clock.monotonic();
    this.#usedMs += Math.min(now - this.#lastAt, longestStepMs);
    this.#lastAt = now;
    const rate = firstRate * 2 ** (this.#usedMs / doublingMs);
    this.#nextAt = Math.max(this.#nextAt, now - slackMs) + 1_000 / rate;
  }
}
