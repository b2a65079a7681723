import type { LegState } from '../../deliver/outcome.js';

/**
 * The state of an event that was found due, so that its first URL is due: the clock may have been set
 * back since the state was stored, or since the event was found. All URLs keep their distances.
 *
 * @param now Milliseconds since 1970.
 */
export function dueBy(now: number, legs: readonly LegState[]): readonly LegState[] {
  const byMs = Math.min(...legs.map(({ dueAt }) => dueAt ?? Infinity)) - now;
  if (byMs === Infinity || byMs <= 0) return legs;
  return legs.map((leg) => ({
    ...leg,
    firstAt: leg.firstAt - byMs,
    ...(leg.dueAt !== undefined && { dueAt: leg.dueAt - byMs }),
  }));
}
