import type { Clock } from '../clock.js';

/** No more than this multiple of the rate goes in any 100 ms, nor in any ten intervals. */
const most = 1.1;
const windowMs = 100;
/** Lost time is made up for at this multiple of the rate, a little below `most`. */
const catchUp = 1.08;
/** No more lost time than this is made up for: after a long pause, nobody wants it back. */
const maxLostMs = 1_000;
/** Who asks for the next turn later than this had nothing to send; it was no stall. */
const longestStallMs = 500;
/** Turns that are kept in mind; rates beyond a million a second are watched over less than 100 ms. */
const maxTurns = 100_000;
/** A wait may end so much before its moment, see `sleep`. */
const earlyMs = 0.5;

/**
 * Lets events go at a steady rate, on a schedule of its own so that delays do not add up. What a
 * stall has cost is made up for slowly, never in a burst.
 */
export class RateLimiter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #intervalMs: number;
  /** Timers, and whoever waits for them, are late as a matter of course: what was due meanwhile goes at once. */
  readonly #slackMs: number;
  readonly #recent: RecentTurns;
  /** When the next turn is, by the rate alone. */
  #dueAt: number | undefined;
  /** When the last turn was, by the schedule. */
  #lastAt = -Infinity;
  /** When it was taken, as far as is known: who had to wait may have waited for longer. */
  #leftAt = -Infinity;
  #lastWaited = false;

  constructor(perSecond: number, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#intervalMs = 1000 / perSecond;
    // Slow rates have few events in a window: more slack would let one too many in.
    this.#slackMs = this.#intervalMs > 10 ? 5 : 20;
    this.#recent = new RecentTurns(this.#intervalMs);
  }

  /** Takes the next turn, and returns how long to wait for it, in milliseconds; 0 is now. */
  turn(): number {
    const now = this.#clock.monotonic();
    this.#noteLast(now);
    const dueAt = Math.max(this.#dueAt ?? now, now - maxLostMs);
    const at = Math.max(dueAt, this.#soonestAt(now), this.#recent.soonestAt());
    this.#dueAt = dueAt + this.#intervalMs;
    this.#lastAt = at;
    this.#lastWaited = at > now;
    this.#leftAt = Math.max(at, now);
    return Math.max(0, at - now);
  }

  /** Only now it is known how long the last turn can have taken. */
  #noteLast(now: number): void {
    if (this.#lastWaited) this.#leftAt = Math.min(now, this.#lastAt + longestStallMs);
    this.#recent.add(this.#leftAt);
  }

  /** However much time was lost: no sooner than this behind the last turn. */
  #soonestAt(now: number): number {
    const counted = Math.max(this.#lastAt, this.#leftAt - this.#slackMs);
    return Math.max(counted + this.#intervalMs / catchUp, now - this.#slackMs);
  }
}

/** When the last turns were taken: as many as may be in one window. */
class RecentTurns {
  readonly #windowMs: number;
  readonly #times: Float64Array;
  #next = 0;

  constructor(intervalMs: number) {
    const intervals = Math.min(Math.max(windowMs / intervalMs, 10), maxTurns);
    this.#windowMs = intervals * intervalMs + earlyMs;
    // A thousandth absorbs what division has rounded down: ten intervals are to hold eleven.
    this.#times = new Float64Array(Math.floor(most * intervals + 0.001)).fill(-Infinity);
  }

  add(at: number): void {
    this.#times[this.#next] = at;
    this.#next = (this.#next + 1) % this.#times.length;
  }

  /** When the oldest of them has left the window. */
  soonestAt(): number {
    return this.#times[this.#next]! + this.#windowMs;
  }
}
