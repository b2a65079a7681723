import type { StateFile } from '../../../storage/state-file.js';

/** Rows of a table per source or destination, counted at the start and updated with each commit. */
export class RowCounts {
  readonly #counts = new Map<number, number>();
  #added: (readonly [name: number, count: number])[] = [];
  #total: number;
  #addedTotal = 0;

  /** @param name the column with the number of the source or destination */
  constructor(connection: StateFile, table: string, name: string) {
    const sql = `SELECT ${name} AS name, count(*) AS n FROM ${table} GROUP BY ${name}`;
    for (const row of connection.all(sql)) this.#counts.set(Number(row.name), Number(row.n));
    this.#total = this.of();
  }

  /** Of one source or destination, or of all. */
  of(name?: number): number {
    if (name !== undefined) return this.#counts.get(name) ?? 0;
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The sources or destinations that have rows. */
  get names(): number[] {
    return [...this.#counts].filter(([, count]) => count > 0).map(([name]) => name);
  }

  /** Of all, including changes of the current transaction. */
  get total(): number {
    return this.#total + this.#addedTotal;
  }

  /** Within a transaction: changes the count by this number. */
  add(name: number, count: number): void {
    this.#added.push([name, count]);
    this.#addedTotal += count;
  }

  committed(): void {
    for (const [name, count] of this.#added) this.#counts.set(name, this.of(name) + count);
    this.#total += this.#addedTotal;
    this.rolledBack();
  }

  rolledBack(): void {
    this.#added = [];
    this.#addedTotal = 0;
  }
}
