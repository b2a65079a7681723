/** Rows `[from, to)` of a table, counted from 0. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}
