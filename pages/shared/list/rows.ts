/** The rows of a list, from the top. */
export interface Rows<Row> {
  readonly length: number;
  at(index: number): Row | undefined;
  /** The index of a row, or the nearest to where it was; undefined when neither is known. */
  indexOf(row: Row): number | undefined;
}

/** The row that is `by` rows further down than one, or than the top, but not beyond the ends of the list. */
export function rowFrom<Row>(rows: Rows<Row>, from: Row | undefined, by: number): Row | undefined {
  const index = (from ? (rows.indexOf(from) ?? 0) : -1) + by;
  return rows.at(Math.max(0, Math.min(index, rows.length - 1)));
}

/** The rows between two, both included, in whatever order they are given. */
export function rowsBetween<Row>(rows: Rows<Row>, one: Row, other: Row): Row[] {
  const indexes = [one, other].map((row) => rows.indexOf(row) ?? 0);
  return rowsIn(rows, Math.min(...indexes), Math.max(...indexes) + 1);
}

/** The rows from one index up to another, which is not included. */
export function rowsIn<Row>(rows: Rows<Row>, first: number, last: number): Row[] {
  const length = Math.max(0, Math.min(last, rows.length) - first);
  return Array.from({ length }, (_, i) => rows.at(first + i)!);
}

/** Every page has one list, which has the keyboard where nothing else needs it. */
export function focusList(): void {
  document.querySelector<HTMLElement>('[role="grid"].rows')?.focus();
}
