import type { Clock } from '../clock.js';

/** Maximum multiple of the rate in any 100 ms, and in any ten intervals; a second has at most 1.05. */
const most = 1.1;
const windowMs = 100;
/** Multiple of the rate used to catch up; with `#slackMs` a second has at most a twentieth more. */
const catchUp = 1.03;
/** Maximum lost time to catch up; after a long pause, catching up is not wanted. */
const maxLostMs = 1_000;
/** A longer time without a turn counts as idle, not as a stall. */
const maxStallMs = 500;
/** Maximum turns remembered; rates above a million per second are checked over less than 100 ms. */
const maxTurns = 100_000;
/** A wait may end this much early, see `sleep`. */
const earlyMs = 0.5;

/**
 * Limits events to a steady rate, on an absolute schedule so that delays do not add up. Time lost in a
 * stall is caught up slowly, without bursts.
 */
export class RateLimiter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #intervalMs: number;
  /** Timers are always somewhat late; events that became due within this time are sent at once. */
  readonly #slackMs: number;
  readonly #recent: RecentTurns;
  /** When the next turn is due by the rate alone. */
  #dueAt: number | undefined;
  /** The scheduled time of the last turn. */
  #lastAt = -Infinity;
  /** When it was used, as far as known: a caller that had to wait may have waited longer. */
  #leftAt = -Infinity;
  #lastWaited = false;

  constructor(perSecond: number, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#intervalMs = 1000 / perSecond;
    // Slow rates have few events in a window, so more slack would admit one too many.
    this.#slackMs = this.#intervalMs > 10 ? 5 : 20;
    this.#recent = new RecentTurns(this.#intervalMs);
  }

  /** Reserves the next turn, and returns the milliseconds to wait for it; 0 is now. */
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

  /** Moves the next turn by so many intervals. */
  skip(turns: number): void {
    if (this.#dueAt !== undefined) this.#dueAt += turns * this.#intervalMs;
  }

  /** Only at the next call it is known how late the last turn can have been. */
  #noteLast(now: number): void {
    if (this.#lastWaited) this.#leftAt = Math.min(now, this.#lastAt + maxStallMs);
    this.#recent.add(this.#leftAt);
  }

  /** The earliest time after the last turn, however much time was lost. */
  #soonestAt(now: number): number {
    const counted = Math.max(this.#lastAt, this.#leftAt - this.#slackMs);
    return Math.max(counted + this.#intervalMs / catchUp, now - this.#slackMs);
  }
}

/** The times of the last turns, as many as may be in one window. */
class RecentTurns {
  readonly #windowMs: number;
  readonly #times: Float64Array;
  #next = 0;

  constructor(intervalMs: number) {
    const intervals = Math.min(Math.max(windowMs / intervalMs, 10), maxTurns);
    this.#windowMs = intervals * intervalMs + earlyMs;
    // 0.001 absorbs rounding errors of the division: ten intervals must hold eleven.
    this.#times = new Float64Array(Math.floor(most * intervals + 0.001)).fill(-Infinity);
  }

  add(at: number): void {
    this.#times[this.#next] = at;
    this.#next = (this.#next + 1) % this.#times.length;
  }

  /** When the oldest of them leaves the window. */
  soonestAt(): number {
    return this.#times[this.#next]! + this.#windowMs;
  }
}
