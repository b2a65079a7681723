import type { RequestRow } from '../api.js';
import type { RequestLog } from '../receive/request-log.js';
import type { View } from '../view/view.js';

type Order = View['order'];

/** The request at a place of the list, counted from its top. */
export function rowAt(log: RequestLog, order: Order, place: number): RequestRow | undefined {
  return log.matching.at(order === 'newest-first' ? log.matching.length - 1 - place : place);
}

/** The place of a request in the list, or the nearest to where it would be. */
export function placeOf(log: RequestLog, order: Order, { sequence }: RequestRow): number {
  const last = log.matching.length - 1;
  const index = Math.min(log.indexOf(sequence), last);
  return order === 'newest-first' ? last - index : index;
}

/** The request so many places further down; the ends of the list hold. */
export function rowFrom(
  log: RequestLog,
  order: Order,
  from: RequestRow | undefined,
  by: number,
): RequestRow | undefined {
  const place = from ? placeOf(log, order, from) + by : 0;
  return rowAt(log, order, Math.max(0, Math.min(place, log.matching.length - 1)));
}

/** The requests between two, both included, in whatever order they are given. */
export function rowsBetween(log: RequestLog, one: RequestRow, other: RequestRow): RequestRow[] {
  const [first, last] = one.sequence < other.sequence ? [one, other] : [other, one];
  return log.matching
    .toArray()
    .filter(({ sequence }) => sequence >= first.sequence && sequence <= last.sequence);
}
