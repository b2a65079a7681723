import type { Clock } from '../clock.js';

/** The wait is taken in pieces: no timer runs longer than 24 days, and long ones lose precision. */
const longestPauseMs = 60_000;
/** A timer takes a millisecond at least, so whatever is nearer than half of one goes now. */
const nearMs = 0.5;

/**
 * Waits for so long, or until `signal` is aborted; ends at most half a millisecond early. Node cuts
 * delays to whole milliseconds, so a timer may fire before its time: then the rest is waited for as
 * well.
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
