import { useRef } from 'preact/hooks';
import type { Outcome } from '../outcomes/outcome.js';

/**
 * How many rows were ever added at the top of a list, for it to keep its scroll position.
 *
 * @param which identifies the list: the rows of another list were not added to this one
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

/** Counts down to the first row that was listed before, anywhere: outcomes of old events move up. */
function cameOnTop(before: readonly Outcome[], rows: readonly Outcome[]): number {
  const known = new Set(before);
  const place = rows.findIndex((row) => known.has(row));
  return place === -1 ? rows.length : place;
}
