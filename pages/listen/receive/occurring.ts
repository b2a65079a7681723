import type { Forwarded, RequestRow } from '../../../src/api/listen.js';
import { pathOf } from '../filter/filter.js';

/** What occurs among the kept requests: which columns and filters are shown. */
export class Occurring {
  readonly #types = new Counts<string | null>();
  readonly methods = new Counts<string>();
  /** Without their queries. */
  readonly paths = new Counts<string>();
  /** Of signatures. */
  readonly schemes = new Counts<string>();
  /** Why signatures are not valid. */
  readonly reasons = new Counts<string>();
  readonly duplicates = new Counts<true>();
  /** What the app responded; null for requests that were not passed on to it. */
  readonly forwarded = new Counts<string | null>();
  readonly users = new Counts<string | null>();
  /** The faults that fired. */
  readonly faults = new Counts<string>();

  /** The types by name; at the end null, when there are requests without one. */
  get types(): (string | null)[] {
    const names = this.#types
      .values()
      .filter((type) => type !== null)
      .sort();
    return this.#types.has(null) ? [...names, null] : names;
  }

  /** Counts a request that came, or one that went. */
  change(row: RequestRow, by: 1 | -1): void {
    this.#types.change(row.type, by);
    this.methods.change(row.method, by);
    this.paths.change(pathOf(row), by);
    if (row.scheme !== null) this.schemes.change(row.scheme, by);
    if (row.reason !== null) this.reasons.change(row.reason, by);
    if (row.isDuplicate) this.duplicates.change(true, by);
    this.forwarded.change(row.forwarded && responseOf(row.forwarded), by);
    this.users.change(row.user, by);
    if (row.fault !== null) this.faults.change(row.fault, by);
  }

  /** Whether any request was passed on to an app. */
  get hasForwarded(): boolean {
    return this.forwarded.size > (this.forwarded.has(null) ? 1 : 0);
  }

  clear(): void {
    const { methods, paths, schemes, reasons, duplicates, forwarded, users, faults } = this;
    const texts = [this.#types, methods, paths, schemes, reasons, forwarded, users, faults];
    for (const counts of [...texts, duplicates]) counts.clear();
  }
}

function responseOf({ status, error }: Forwarded): string {
  return `${status ?? ''} ${error ?? ''}`;
}

/** How often each value occurs among what is kept. */
class Counts<T> {
  readonly #counts = new Map<T, number>();

  get size(): number {
    return this.#counts.size;
  }

  has(value: T): boolean {
    return this.#counts.has(value);
  }

  /** In the order of their first occurrence. */
  values(): T[] {
    return [...this.#counts.keys()];
  }

  change(value: T, by: 1 | -1): void {
    const count = (this.#counts.get(value) ?? 0) + by;
    if (count > 0) this.#counts.set(value, count);
    else this.#counts.delete(value);
  }

  clear(): void {
    this.#counts.clear();
  }
}
