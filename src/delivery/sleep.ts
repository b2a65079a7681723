import type { Clock } from '../clock.js';

/** Longest single timer: timers are limited to 24 days, and long ones lose precision. */
const longestPauseMs = 60_000;
/** A timer takes at least a millisecond, so a wait shorter than half of one ends at once. */
const nearMs = 0.5;

/**
 * Waits for `ms`, or until `signal` is aborted; ends at most half a millisecond early. Node truncates
 * delays to whole milliseconds, so a timer may fire early; then the rest is waited for as well.
 */
export async function sleep(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  const end = clock.monotonic() + ms;
  for (;;) {
    const leftMs = end - clock.monotonic();
    if (leftMs < nearMs || signal?.aborted) return;
    await pause(Math.min(Math.max(Math.floor(leftMs), 1), longestPauseMs), clock, signal);
  }
}

function pause(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener('abort', end);
  });
}
