import type { RequestRow } from '../../../src/api/listen.js';
import type { Rows } from '../../shared/list/rows.js';
import { Occurring } from './occurring.js';

/** The newest requests, and those of them that a filter lets through; both the oldest first. */
export class RequestLog {
  readonly kept = new Tail<RequestRow>();
  readonly matching = new Tail<RequestRow>();
  readonly occurring = new Occurring();
  readonly #maxKept: number;
  #matches: (row: RequestRow) => boolean = () => true;
  #appended = 0;
  #dropped = 0;
  /** Newer requests wait until it is known whether the filter lets them through. */
  #decided = Infinity;
  #filters = 0;

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

  /** Adds rows in the order of arrival, and forgets the oldest beyond what is kept. */
  add(rows: readonly RequestRow[]): void {
    for (const row of rows) {
      this.kept.push(row);
      this.occurring.change(row, 1);
      if (row.sequence <= this.#decided && this.#matches(row)) this.#append(row);
    }
    this.#forget(this.kept.length - this.#maxKept);
  }

  /** Changes with each filter. */
  get filters(): number {
    return this.#filters;
  }

  /**
   * Lets only these through from now on.
   *
   * @param decided The newest request that the filter can decide about; `decide` goes on from there.
   */
  filter(matches: (row: RequestRow) => boolean, decided = Infinity): void {
    this.#matches = matches;
    this.#decided = decided;
    this.#filters++;
    this.matching.clear();
    for (const row of this.kept.toArray()) {
      if (row.sequence <= decided && matches(row)) this.matching.push(row);
    }
  }

  /** Lets newer requests through the filter, up to this one. */
  decide(upTo: number): void {
    let first = this.kept.length;
    while (first > 0 && this.kept.at(first - 1)!.sequence > this.#decided) first--;
    this.#decided = upTo;
    for (let i = first; i < this.kept.length; i++) {
      const row = this.kept.at(i)!;
      if (row.sequence <= upTo && this.#matches(row)) this.#append(row);
    }
  }

  clear(): void {
    this.kept.clear();
    this.matching.clear();
    this.occurring.clear();
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
    for (let i = 0; i < count; i++) this.occurring.change(this.kept.at(i)!, -1);
    this.kept.drop(count);
    const gone = this.indexOf(this.kept.at(0)!.sequence);
    this.matching.drop(gone);
    this.#dropped += gone;
  }
}

export type Order = 'newest-first' | 'oldest-first';

/** The requests that the filter lets through, in the order of the list. */
export function listed(log: RequestLog, order: Order): Rows<RequestRow> {
  const { length } = log.matching;
  const turned = (index: number): number => (order === 'newest-first' ? length - 1 - index : index);
  return {
    length,
    at: (index) => log.matching.at(turned(index)),
    indexOf: ({ sequence }) =>
      length === 0 ? undefined : turned(Math.min(log.indexOf(sequence), length - 1)),
  };
}

/** A list that grows at its end and forgets its oldest items; neither moves the rest. */
export class Tail<T> {
  #items: T[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  /** The item at an index from the oldest, which is 0. */
  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#start + index];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Forgets the oldest `count` items. */
  drop(count: number): void {
    this.#start = Math.min(this.#start + count, this.#items.length);
    if (this.#start * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#start);
    this.#start = 0;
  }

  clear(): void {
    this.#items = [];
    this.#start = 0;
  }

  /** A copy, the oldest first. */
  toArray(): T[] {
    return this.#items.slice(this.#start);
  }
}
