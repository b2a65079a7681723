import type { StateFile } from '../../storage/state-file.js';

/** How many rows of a table are kept of each party, counted at the start and kept in step with the commits. */
export class RowCounts {
  readonly #counts = new Map<number, number>();
  #added: (readonly [party: number, count: number])[] = [];
  #total: number;
  #addedTotal = 0;

  /** @param party the column that has the number of the party */
  constructor(connection: StateFile, table: string, party: string) {
    const sql = `SELECT ${party} AS party, count(*) AS n FROM ${table} GROUP BY ${party}`;
    for (const row of connection.all(sql)) this.#counts.set(Number(row.party), Number(row.n));
    this.#total = this.of();
  }

  /** Of one party, or of all. */
  of(party?: number): number {
    if (party !== undefined) return this.#counts.get(party) ?? 0;
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Of all, with what the transaction under way has changed. */
  get total(): number {
    return this.#total + this.#addedTotal;
  }

  /** Within a transaction: so many more or fewer. */
  add(party: number, count: number): void {
    this.#added.push([party, count]);
    this.#addedTotal += count;
  }

  committed(): void {
    for (const [party, count] of this.#added) this.#counts.set(party, this.of(party) + count);
    this.#total += this.#addedTotal;
    this.rolledBack();
  }

  rolledBack(): void {
    this.#added = [];
    this.#addedTotal = 0;
  }
}
