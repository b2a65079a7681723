import type { RequestRow } from '../../../src/api/listen.js';
import { Tail } from './tail.js';

/** The newest requests, and those of them that a filter lets through; both the oldest first. */
export class RequestLog {
  readonly kept = new Tail<RequestRow>();
  readonly matching = new Tail<RequestRow>();
  readonly #maxKept: number;
  #matches: (row: RequestRow) => boolean = () => true;
  #appended = 0;
  #dropped = 0;
  #types = new Map<string | null, number>();

  constructor(maxKept: number) {
    this.#maxKept = maxKept;
  }

  /** How many rows were ever put at the end of `matching`: so that a list can hold its place. */
  get appended(): number {
    return this.#appended;
  }

  /** How many rows were ever dropped from the beginning of `matching`. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The types that are kept, by name; at the end null, when there are requests without one. */
  get types(): (string | null)[] {
    const names = [...this.#types.keys()].filter((type) => type !== null).sort();
    return this.#types.has(null) ? [...names, null] : names;
  }

  /** Adds rows in the order of arrival, and forgets the oldest beyond what is kept. */
  add(rows: readonly RequestRow[]): void {
    for (const row of rows) {
      this.kept.push(row);
      this.#count(row.type, 1);
      if (this.#matches(row)) this.#append(row);
    }
    this.#forget(this.kept.length - this.#maxKept);
  }

  /** Lets only these through from now on. */
  filter(matches: (row: RequestRow) => boolean): void {
    this.#matches = matches;
    this.matching.clear();
    for (const row of this.kept.toArray()) if (matches(row)) this.matching.push(row);
  }

  clear(): void {
    this.kept.clear();
    this.matching.clear();
    this.#types.clear();
  }

  /** The index of a row in `matching`, or of the first row after it. */
  indexOf(sequence: number): number {
    let low = 0;
    let high = this.matching.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.matching.at(middle)!.sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #append(row: RequestRow): void {
    this.matching.push(row);
    this.#appended++;
  }

  #forget(count: number): void {
    if (count <= 0) return;
    for (let i = 0; i < count; i++) this.#count(this.kept.at(i)!.type, -1);
    this.kept.drop(count);
    const gone = this.indexOf(this.kept.at(0)!.sequence);
    this.matching.drop(gone);
    this.#dropped += gone;
  }

  #count(type: string | null, change: number): void {
    const count = (this.#types.get(type) ?? 0) + change;
    if (count > 0) this.#types.set(type, count);
    else this.#types.delete(type);
  }
}
