import type { Clock } from '../clock.js';

/** Small corrections of the clock are normal, and the two clocks are not read at the same instant. */
const toleranceMs = 1_000;

/** Detects that the wall clock was set back, by comparing it with the monotonic clock. */
export class ClockSetback {
  readonly #clock: Clock;
  /** The most that the wall clock was ahead of the monotonic clock. */
  #maxAheadMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#maxAheadMs = this.#aheadMs();
  }

  /** Whether it was set back since the last `reset`. Cheap enough for every commit. */
  get isSeen(): boolean {
    return this.ms > toleranceMs;
  }

  /** By how much, in milliseconds. */
  get ms(): number {
    const ahead = this.#aheadMs();
    this.#maxAheadMs = Math.max(this.#maxAheadMs, ahead);
    return this.#maxAheadMs - ahead;
  }

  /** Accepts the current time. */
  reset(): void {
    this.#maxAheadMs = this.#aheadMs();
  }

  #aheadMs(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
