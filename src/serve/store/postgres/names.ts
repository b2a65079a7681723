import type { Database } from '../../../store/postgres/database.js';

export type NameKind = 'source' | 'destination';

/** The numbers of sources and destinations in the tables of a store; those of all instances. */
export class Names {
  readonly #database: Database;
  readonly #table: string;
  readonly #idOf = { source: new Map<string, number>(), destination: new Map<string, number>() };
  readonly #nameOf = new Map<number, string>();

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#table = `${schema}.name`;
  }

  /** Reads what other instances have added. */
  async refresh(): Promise<void> {
    const [found] = await this.#database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${this.#table}`,
    );
    if (found!.n === this.#nameOf.size) return;
    const rows = await this.#database.query<{ id: number; kind: NameKind; name: string }>(
      `SELECT id, kind, name FROM ${this.#table}`,
    );
    for (const row of rows) this.#set(row);
  }

  /** Adds names that are not there yet. */
  async ensure(kind: NameKind, names: readonly string[]): Promise<void> {
    const missing = [...new Set(names)].filter((name) => !this.#idOf[kind].has(name)).sort();
    if (missing.length === 0) return;
    await this.#database.query(
      `INSERT INTO ${this.#table} (kind, name) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
      [kind, missing],
    );
    const rows = await this.#database.query<{ id: number; kind: NameKind; name: string }>(
      `SELECT id, kind, name FROM ${this.#table} WHERE kind = $1 AND name = ANY($2)`,
      [kind, missing],
    );
    for (const row of rows) this.#set(row);
  }

  /** The number of a name; 0 for an unknown one. */
  find(kind: NameKind, name: string): number {
    return this.#idOf[kind].get(name) ?? 0;
  }

  name(id: number): string {
    return this.#nameOf.get(id) ?? '';
  }

  /** All numbers of a kind. */
  ids(kind: NameKind): number[] {
    return [...this.#idOf[kind].values()];
  }

  #set({ id, kind, name }: { id: number; kind: NameKind; name: string }): void {
    this.#idOf[kind].set(name, id);
    this.#nameOf.set(id, name);
  }
}
