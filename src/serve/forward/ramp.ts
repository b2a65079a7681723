import type { Clock } from '../../clock.js';

/** At the start, in events per second. */
const initialRate = 50;
const doublingMs = 500;
/** Time of sending after which there is no limit: the rate is 51,200 events per second by then. */
const lengthMs = 5_000;
/** Timers are late; what became due within this time is sent at once. */
const slackMs = 50;
/** An idle time counts as at most this long, so that the rate does not rise while nothing is sent. */
const maxStepMs = 100;

/**
 * Limits how fast a backlog is sent after an outage, so that an endpoint that has just come back is not
 * flooded: the rate doubles every half second, and after 5 s of sending there is no limit.
 */
export class Ramp {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** When the next event may be sent, in milliseconds of the monotonic clock. */
  #nextAt: number;
  /** When the last one was sent. */
  #lastAt: number;
  /** How long it has been used. */
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
    this.#usedMs += Math.min(now - this.#lastAt, maxStepMs);
    this.#lastAt = now;
    const rate = initialRate * 2 ** (this.#usedMs / doublingMs);
    this.#nextAt = Math.max(this.#nextAt, now - slackMs) + 1_000 / rate;
  }
}
