import type { StateFile } from '../../../storage/state-file.js';
import type { RowCounts } from './row-counts.js';

/** Rows that were deleted to make room for newer ones; source and destination are numbers. */
export interface Dropped {
  readonly source: number;
  /** 0 where the table has none. */
  readonly destination: number;
  readonly count: number;
}

/** Maximum deletions per transaction, so that a lowered limit blocks nothing for long. */
const maxAtOnce = 2_000;

/** Keeps only the newest rows of a table. */
export class RowLimit {
  readonly #connection: StateFile;
  readonly #table: 'dead_letter' | 'rejected' | 'deletion';
  readonly #counts: RowCounts;
  #limit: number;
  /** Of the current transaction. */
  #dropped: readonly Dropped[] = [];

  constructor(
    connection: StateFile,
    table: 'dead_letter' | 'rejected' | 'deletion',
    counts: RowCounts,
    limit: number,
  ) {
    this.#connection = connection;
    this.#table = table;
    this.#counts = counts;
    this.#limit = limit;
  }

  /** Sets how many rows are kept from the next transaction on. */
  keep(limit: number): void {
    this.#limit = limit;
  }

  /** Whether the next transactions have rows to delete. */
  get isOver(): boolean {
    return this.#counts.total > this.#limit;
  }

  /** What the current transaction has deleted. */
  get dropped(): readonly Dropped[] {
    return this.#dropped;
  }

  /** At the end of a transaction: deletes the oldest rows above the limit and returns them. */
  prune(): readonly Dropped[] {
    const count = Math.min(this.#counts.total - this.#limit, maxAtOnce);
    if (count > 0) this.#dropped = this.#deleteOldest(count);
    return this.#dropped;
  }

  committed(): void {
    this.#dropped = [];
  }

  rolledBack(): void {
    this.#dropped = [];
  }

  #deleteOldest(count: number): Dropped[] {
    const table = this.#table;
    const name = table === 'dead_letter' ? 'destination' : 'source';
    const destination = table === 'dead_letter' ? 'destination' : '0';
    const last = this.#connection.get(
      `SELECT id FROM ${table} ORDER BY id LIMIT 1 OFFSET ?`,
      count - 1,
    )!;
    const upTo = Number(last.id);
    const dropped = this.#connection
      .all(
        `SELECT source, ${destination} AS destination, count(*) AS n FROM ${table}
         WHERE id <= ? GROUP BY 1, 2`,
        upTo,
      )
      .map((row) => ({
        source: Number(row.source),
        destination: Number(row.destination),
        count: Number(row.n),
      }));
    this.#connection.run(`DELETE FROM ${table} WHERE id <= ?`, upTo);
    for (const one of dropped) this.#counts.add(one[name], -one.count);
    return dropped;
  }
}
