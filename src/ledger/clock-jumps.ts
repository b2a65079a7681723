import type { Clock } from '../clock.js';

/** Less than this is how clocks are corrected all the time. */
const leastMs = 1_000;

/** Notices that the time of day was set back. */
export class ClockJumps {
  readonly #clock: Clock;
  /** By how much the time of day is ahead of the monotonic time. */
  #ahead: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#ahead = clock.now() - clock.monotonic();
  }

  /** Whether that has happened since the last call, by more than a second. */
  wentBack(): boolean {
    const before = this.#ahead;
    this.#ahead = this.#clock.now() - this.#clock.monotonic();
    return this.#ahead < before - leastMs;
  }
}
