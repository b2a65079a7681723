import type { Clock } from '../clock.js';

/** Clocks are corrected by less than this all the time, and two are read one after the other. */
const toleranceMs = 1_000;

/** Detects that the time of day was set back, by comparing it with the monotonic time. */
export class ClockSetback {
  readonly #clock: Clock;
  /** How far the time of day was ahead of the monotonic time, at most. */
  #maxAheadMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#maxAheadMs = this.#aheadMs();
  }

  /** Whether that has happened since the last `reset`. Cheap enough for every commit. */
  get isSeen(): boolean {
    return this.ms > toleranceMs;
  }

  /** By how much, in milliseconds. */
  get ms(): number {
    const ahead = this.#aheadMs();
    this.#maxAheadMs = Math.max(this.#maxAheadMs, ahead);
    return this.#maxAheadMs - ahead;
  }

  /** The time of day is accepted as it is. */
  reset(): void {
    this.#maxAheadMs = this.#aheadMs();
  }

  #aheadMs(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
