/** The source of time, passed in so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970, as `Date.now()`: comparable across restarts of the process. */
  now(): number;
  /** Fractional milliseconds since an arbitrary start; never goes back, so use it for durations and deadlines. */
  monotonic(): number;
  /** Calls `callback` once after `delayMs` of `monotonic()`; the returned function cancels it. */
  after(delayMs: number, callback: () => void, options?: TimerOptions): () => void;
}

/** How a timer of a `Clock` behaves. */
export interface TimerOptions {
  /** Whether the process stays alive until the timer has fired. Default true. */
  readonly keepsAlive?: boolean;
}

/** setTimeout fires at once for a longer delay than this (2^31 - 1 ms). */
const maxTimerMs = 2_147_483_647;

/** @internal */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback, options) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), maxTimerMs));
    if (options?.keepsAlive === false) timer.unref();
    return () => clearTimeout(timer);
  },
};
