/** Time, handed in so that a four-hour retry window can be tested in a millisecond. */
export interface Clock {
  /** Milliseconds since 1970, as `Date.now()`: it survives a restart of the process. */
  now(): number;
  /** Milliseconds since an arbitrary start, finer than one: it never goes back, for durations and deadlines. */
  monotonic(): number;
  /** Calls `callback` once after `delayMs`, by `monotonic()`; the returned function cancels it. */
  after(delayMs: number, callback: () => void, options?: TimerOptions): () => void;
}

export interface TimerOptions {
  /** Whether the process stays alive until the timer has fired. Default true. */
  readonly keepsAlive?: boolean;
}

/** setTimeout fires at once for a longer delay than this (2^31 - 1 ms). */
const longestTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback, options) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), longestTimerMs));
    if (options?.keepsAlive === false) timer.unref();
    return () => clearTimeout(timer);
  },
};
