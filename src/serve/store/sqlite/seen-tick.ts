/** Times of ids are stored in ticks since 1970. */
export const tickMs = 10 * 60 * 1000;

/** How long a messageId is remembered: a day, and up to a tick more. */
export const seenForTicks = (24 * 60 * 60 * 1000) / tickMs;

/** A tick in the future was recorded before the clock was set back; it also counts for a day. */
export function isExpired(tick: number, now: number): boolean {
  return Math.abs(now - tick) > seenForTicks;
}
