import type { Clock } from '../clock.js';

/** How much of a delay may be made up for by going faster: more would be a burst. */
const catchUpMs = 50;

/** Lets events go at a steady rate, on a schedule of its own so that small delays do not add up. */
export class Pace {
  readonly #intervalMs: number;
  readonly #clock: Clock;
  #nextAt = -Infinity;

  constructor(perSecond: number, clock: Clock) {
    this.#intervalMs = 1000 / perSecond;
    this.#clock = clock;
  }

  /** Takes the next turn, and returns how long to wait for it, in milliseconds; 0 is now. */
  turn(): number {
    const now = this.#clock.now();
    const at = Math.max(this.#nextAt, now - catchUpMs, this.#nextAt === -Infinity ? now : 0);
    this.#nextAt = at + this.#intervalMs;
    return Math.max(0, at - now);
  }
}
