import type { StateFile } from '../../../storage/state-file.js';
import type { NameTable } from './name-table.js';

/** A counter since the store was created. */
export interface Count {
  /** Name; empty when the counter has no source. */
  readonly source: string;
  /** Name; empty when the counter has no destination. */
  readonly destination: string;
  /**
   * Of a source: `received` (including rejected and repeated ones), `repeated`, `rejected:<code>`,
   * `deletion`, `unforwarded` (no destination gets it). Of both: `delivered`, `failed`, `skipped`
   * (its integrations turn the destination off), `redelivered`, `dropped` (a dead letter that was
   * replaced by newer ones).
   */
  readonly what: string;
  readonly count: number;
}

/** Counters that survive a restart. Their values are those of the last commit. */
export class Counts {
  readonly #connection: StateFile;
  readonly #nameTable: NameTable;
  readonly #counts = new Map<string, number>();
  /** By `what`: those of sources without a destination, and the sums over all sources by destination. */
  readonly #ofSources = new Map<string, Map<number, number>>();
  readonly #sums = new Map<string, Map<number, number>>();
  /** Increments of the current transaction. */
  #added = new Map<string, number>();

  constructor(connection: StateFile, nameTable: NameTable) {
    this.#connection = connection;
    this.#nameTable = nameTable;
    for (const { source, destination, what, n } of connection.all('SELECT * FROM count')) {
      this.#increase(keyOf(Number(source), Number(destination), what as string), Number(n));
    }
  }

  /** Within a transaction. Source and destination by their numbers; 0 is none. */
  add(source: number, destination: number, what: string, count = 1): void {
    const key = keyOf(source, destination, what);
    this.#added.set(key, (this.#added.get(key) ?? 0) + count);
  }

  write(): void {
    const sql = 'INSERT OR REPLACE INTO count VALUES (?, ?, ?, ?)';
    for (const [key, added] of this.#added) {
      const { source, destination, what } = partsOf(key);
      this.#connection.run(sql, source, destination, what, (this.#counts.get(key) ?? 0) + added);
    }
  }

  committed(): void {
    for (const [key, added] of this.#added) this.#increase(key, added);
    this.#added = new Map();
  }

  rolledBack(): void {
    this.#added = new Map();
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Of a source, for counters without a destination. */
  ofSource(source: number, what: string): number {
    return this.#ofSources.get(what)?.get(source) ?? 0;
  }

  /** Of all sources, at one destination or all. */
  sum(what: string, destination?: number): number {
    const sums = this.#sums.get(what);
    if (destination !== undefined) return sums?.get(destination) ?? 0;
    return [...(sums?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }

  all(): Count[] {
    return [...this.#counts].map(([key, count]) => {
      const { source, destination, what } = partsOf(key);
      const nameOf = (id: number): string => (id === 0 ? '' : this.#nameTable.name(id));
      return { source: nameOf(source), destination: nameOf(destination), what, count };
    });
  }

  #increase(key: string, added: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + added);
    const { source, destination, what } = partsOf(key);
    if (destination === 0) increase(this.#ofSources, what, source, added);
    increase(this.#sums, what, destination, added);
  }
}

function increase(
  all: Map<string, Map<number, number>>,
  what: string,
  id: number,
  added: number,
): void {
  const counts = all.get(what) ?? new Map<number, number>();
  counts.set(id, (counts.get(id) ?? 0) + added);
  all.set(what, counts);
}

function keyOf(source: number, destination: number, what: string): string {
  return `${source} ${destination} ${what}`;
}

function partsOf(key: string): { source: number; destination: number; what: string } {
  const [source = '', destination = '', ...what] = key.split(' ');
  return { source: Number(source), destination: Number(destination), what: what.join(' ') };
}
