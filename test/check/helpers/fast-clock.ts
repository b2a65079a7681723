import type { Clock } from '../../../src/clock.js';

/** A clock whose time passes so many times faster, for tests with real servers that wait for minutes. */
export function fastClock(factor: number): Clock {
  const startedAt = Date.now();
  const elapsed = (): number => (Date.now() - startedAt) * factor;
  return {
    now: () => startedAt + elapsed(),
    monotonic: elapsed,
    after(delayMs, callback) {
      const timer = setTimeout(callback, Math.ceil(delayMs / factor));
      return () => clearTimeout(timer);
    },
  };
}
