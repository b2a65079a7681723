import { useRef } from 'preact/hooks';
import type { Outcome } from '../outcomes/outcome.js';

/**
 * How many rows have ever come on top of a list, for it to hold its place.
 *
 * @param which another value: another list, whose rows have not come on top of those of the last
 */
export function useAppended(rows: readonly Outcome[], which: unknown): number {
  const seen = useRef({ rows, which, appended: 0 });
  const before = seen.current;
  if (before.rows !== rows) {
    const came = before.which === which ? cameOnTop(before.rows, rows) : 0;
    seen.current = { rows, which, appended: before.appended + came };
  }
  return seen.current.appended;
}

/** Down to the first one that was there before, wherever it was: outcomes of old events move up. */
function cameOnTop(before: readonly Outcome[], rows: readonly Outcome[]): number {
  const known = new Set(before);
  const place = rows.findIndex((row) => known.has(row));
  return place === -1 ? rows.length : place;
}
