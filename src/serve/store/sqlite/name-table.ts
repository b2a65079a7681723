import type { StateFile } from '../../../storage/state-file.js';

export type NameKind = 'source' | 'destination';

/** Maps names of sources and destinations to the numbers that rows of the store use. */
export class NameTable {
  readonly #connection: StateFile;
  readonly #idOf = { source: new Map<string, number>(), destination: new Map<string, number>() };
  readonly #nameOf = new Map<number, string>();
  #lastId = 0;
  #unwritten: (readonly [id: number, kind: NameKind, name: string])[] = [];

  constructor(connection: StateFile) {
    this.#connection = connection;
    for (const { id, kind, name } of connection.all('SELECT id, kind, name FROM name')) {
      this.#set(Number(id), kind as NameKind, name as string);
    }
  }

  /** The number of a name; a new one is written with the next commit. */
  id(kind: NameKind, name: string): number {
    const known = this.#idOf[kind].get(name);
    if (known !== undefined) return known;
    const id = this.#lastId + 1;
    this.#set(id, kind, name);
    this.#unwritten.push([id, kind, name]);
    return id;
  }

  /** All numbers of a kind. */
  ids(kind: NameKind): number[] {
    return [...this.#idOf[kind].values()];
  }

  /** The number of a known name; 0 for an unknown one. */
  find(kind: NameKind, name: string): number {
    return this.#idOf[kind].get(name) ?? 0;
  }

  name(id: number): string {
    return this.#nameOf.get(id) ?? '';
  }

  /** Within a transaction. */
  write(): void {
    for (const row of this.#unwritten) {
      this.#connection.run('INSERT OR REPLACE INTO name (id, kind, name) VALUES (?, ?, ?)', ...row);
    }
  }

  committed(): void {
    this.#unwritten = [];
  }

  #set(id: number, kind: NameKind, name: string): void {
    this.#idOf[kind].set(name, id);
    this.#nameOf.set(id, name);
    this.#lastId = Math.max(this.#lastId, id);
  }
}
