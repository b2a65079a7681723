import { durationMs } from '../duration.js';
import { timestampMs } from './timestamp.js';

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

/** Of the times that a `Date` can have. */
const earliestMs = -8.64e15;

/** The forms of a given time, for messages. */
export const givenTimeHint =
  'use 2026-10-01, 2026-10-01T08:00:00Z, or a duration before now such as 36h';

/**
 * A time as people give it, in milliseconds since 1970: a time in ISO 8601 with zone, a day (its midnight in UTC), or a
 * duration before `now`; undefined for anything else.
 */
export function givenTimeMs(text: string, now: number): number | undefined {
  const ago = durationMs(text);
  if (ago !== undefined) return Math.max(now - ago, earliestMs);
  return timestampMs(dayForm.test(text) ? `${text}T00:00:00Z` : text);
}

/** Why nothing can be from `since` on, before `until` and at the `latest`; undefined if something can. */
export function periodProblem(
  since = -Infinity,
  until = Infinity,
  latest = Infinity,
): string | undefined {
  if (since < until && since <= latest) return undefined;
  const from = new Date(since).toISOString();
  if (since < until)
    return `since (${from}) is in the future, so nothing is after it; use an earlier since`;
  const to = new Date(until).toISOString();
  if (since === until)
    return `until is exclusive and the same as since (${from}), so nothing is between them; use a later until: for a whole day, the next day`;
  return `since (${from}) is later than until (${to}), so nothing is between them; swap them`;
}
