/** The rows of a list, from the top. */
export interface Rows<Row> {
  readonly length: number;
  at(place: number): Row | undefined;
  /** The place of a row, or the nearest to where it was; undefined when neither is known. */
  placeOf(row: Row): number | undefined;
}

/** The row so many places further down, but not beyond the ends of the list. */
export function rowFrom<Row>(rows: Rows<Row>, from: Row | undefined, by: number): Row | undefined {
  const place = from ? (rows.placeOf(from) ?? 0) + by : 0;
  return rows.at(Math.max(0, Math.min(place, rows.length - 1)));
}

/** The rows between two, both included, in whatever order they are given. */
export function rowsBetween<Row>(rows: Rows<Row>, one: Row, other: Row): Row[] {
  const places = [one, other].map((row) => rows.placeOf(row) ?? 0);
  return rowsIn(rows, Math.min(...places), Math.max(...places) + 1);
}

/** The rows from one place up to another, which is not included. */
export function rowsIn<Row>(rows: Rows<Row>, first: number, last: number): Row[] {
  const length = Math.max(0, Math.min(last, rows.length) - first);
  return Array.from({ length }, (_, i) => rows.at(first + i)!);
}
