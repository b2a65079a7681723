import { tryLock } from '../../../store/postgres/advisory-lock.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import type { Queries } from '../../../store/postgres/queries.js';
import { maxStoredRows } from '../stored.js';
import { countChangesSql } from './context.js';

/** Rows of `count_change` that are folded by one statement, and how often in one transaction. */
const foldedAtOnce = 2_000;
const maxFolds = 20;
const prunedAtOnce = 5_000;

export interface MaintenanceOptions {
  readonly shared: SharedStore;
  /** How many dead letters are kept, the newest. */
  readonly maxDeadLetters: () => number;
  /** Dead letters of a destination (by its number) were dropped. */
  readonly onDropped: (destination: number, count: number) => void;
}

/** What one instance does for all, from time to time: adds up counters, and deletes rows that are too many. */
export class Maintenance {
  readonly #options: MaintenanceOptions;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { database, schema } = this.#options.shared;
    const dropped = await database.transaction(async (tx) => {
      if (!(await tryLock(tx, `evfwd maintenance ${schema}`, 1))) return [];
      await this.#fold(tx);
      await tx.query(pruneSql(`${schema}.rejected`), [maxStoredRows.rejected]);
      const isDone = 'NOT in_log AND NOT in_kept';
      await tx.query(pruneSql(`${schema}.deletion`, isDone), [maxStoredRows.deletion]);
      const pruned = await tx.query<{ source: number; destination: number; n: number }>(
        `WITH dropped AS (${pruneSql(`${schema}.dead_letter`)} RETURNING source, destination)
         SELECT source, destination, count(*)::int AS n FROM dropped GROUP BY 1, 2`,
        [this.#options.maxDeadLetters()],
      );
      if (pruned.length > 0) {
        const changes = pruned.map(({ source, destination, n }) => [
          source,
          destination,
          'dropped',
          n,
        ]);
        await tx.query(`INSERT INTO ${schema}.count_change (changes) VALUES ($1)`, [
          JSON.stringify(changes),
        ]);
      }
      return pruned;
    });
    for (const { destination, n } of dropped) this.#options.onDropped(destination, n);
  }

  /** Adds up changes of counters. A row with a lower number may be committed later: it is folded the next time. */
  async #fold(tx: Queries): Promise<void> {
    const { schema } = this.#options.shared;
    for (let time = 0; time < maxFolds; time++) {
      const [row] = await tx.query<{ n: number }>(
        `WITH taken AS (
           DELETE FROM ${schema}.count_change WHERE id IN (
             SELECT id FROM ${schema}.count_change ORDER BY id LIMIT ${foldedAtOnce})
           RETURNING changes
         ), added AS (
           INSERT INTO ${schema}.count AS c (source, destination, what, n)
           SELECT source, destination, what, sum(n)
           FROM (${countChangesSql('taken')}) AS changed GROUP BY source, destination, what
           ON CONFLICT (source, destination, what) DO UPDATE SET n = c.n + EXCLUDED.n
         )
         SELECT count(*)::int AS n FROM taken`,
      );
      if (row!.n < foldedAtOnce) return;
    }
  }
}

/** $1: how many are kept, the newest. */
function pruneSql(table: string, where = 'true'): string {
  return `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE id <= (
    SELECT id FROM ${table} ORDER BY id DESC OFFSET $1 LIMIT 1) AND ${where} ORDER BY id LIMIT ${prunedAtOnce})`;
}
