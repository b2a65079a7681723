import type { StateFile } from '../../storage/state-file.js';

/** How many rows of a table are kept of each party, counted at the start and kept in step with the commits. */
export class RowCounts {
  readonly #counts = new Map<number, number>();
  #added: (readonly [party: number, count: number])[] = [];
  #total: number;
  #addedTotal = 0;

  /** @param name the column that has the number of the party */
  constructor(connection: StateFile, table: string, name: string) {
    const sql = `SELECT ${name} AS party, count(*) AS n FROM ${table} GROUP BY ${name}`;
    for (const row of connection.all(sql)) this.#counts.set(Number(row.party), Number(row.n));
    this.#total = this.of();
  }

  /** Of one party, or of all. */
  of(name?: number): number {
    if (name !== undefined) return this.#counts.get(name) ?? 0;
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Of all, with what the transaction under way has changed. */
  get total(): number {
    return this.#total + this.#addedTotal;
  }

  /** Within a transaction: so many more or fewer. */
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
