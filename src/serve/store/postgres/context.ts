import type { SharedStore } from '../../../store/postgres/open.js';
import type { Transaction } from '../../../store/postgres/queries.js';
import type { KeepSettings } from '../../kept/settings.js';
import type { Names } from './names.js';
import type { Seen } from './seen.js';

/** What the parts of a store share. */
export interface StoreParts {
  readonly shared: SharedStore;
  readonly names: Names;
  readonly seen: Seen;
  /** What is kept of accepted events. */
  readonly keep: () => KeepSettings;
}

/**
 * The queue of the blocks or of the retries of a destination (by its number), or that of the one job which says who sends
 * to it where it is ordered.
 */
export function queueOf(kind: 'events' | 'retries' | 'order', destination: number): string {
  return `${kind}-${destination}`;
}

/** Changes of counters, by source, destination and what; numbers, 0 is none. */
export class CountChanges {
  readonly #counts = new Map<
    string,
    [source: number, destination: number, what: string, n: number]
  >();

  add(source: number, destination: number, what: string, n = 1): void {
    const key = `${source} ${destination} ${what}`;
    const known = this.#counts.get(key);
    if (known) known[3] += n;
    else this.#counts.set(key, [source, destination, what, n]);
  }

  /** Within a transaction. As a row of its own: all transactions would wait for the rows of the totals. */
  write(tx: Transaction, schema: string): void {
    if (this.#counts.size === 0) return;
    tx.send(`INSERT INTO ${schema}.count_change (changes) VALUES ($1)`, [
      JSON.stringify([...this.#counts.values()]),
    ]);
  }
}

/**
 * SQL for the rows (source, destination, what, n) of all changes in a table with a column `changes`. A counter may have
 * several rows: the caller adds up `n`. Equal `changes` are parsed once: most are where each request is one event.
 */
export function countChangesSql(table: string): string {
  return `SELECT (c->>0)::int AS source, (c->>1)::int AS destination, c->>2 AS what, (c->>3)::bigint * times AS n
    FROM (SELECT changes, count(*) AS times FROM ${table} GROUP BY changes) AS distinct_changes,
      jsonb_array_elements(changes) AS c`;
}

/** A text that PostgreSQL takes. */
export function storable(text: string): string {
  return text.replaceAll('\0', '�').replace(/\p{Surrogate}/gu, '�');
}
