import type { RequestRow } from '../../../src/api/listen.js';
import type { Rows } from '../../shared/list/rows.js';
import { Occurring } from './occurring.js';

/**
 * The newest requests, and those of them that a filter lets through; both in the order of their arrival.
 * Sequence numbers are in the order of the responses: a request that is responded to late comes after others
 * that arrived later.
 */
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
  /** Those that wait, in the order of their sequence numbers. */
  #undecided: RequestRow[] = [];
  #filters = 0;

  constructor(maxKept: number) {
    this.#maxKept = maxKept;
  }

  /** How many rows were ever put into `matching`, nearly all at its end: so that a list can hold its place. */
  get appended(): number {
    return this.#appended;
  }

  /** How many rows were ever dropped from the beginning of `matching`. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds rows in the order of their sequence numbers, and forgets the oldest beyond what is kept. */
  add(rows: readonly RequestRow[]): void {
    for (const row of rows) {
      insert(this.kept, row);
      this.occurring.change(row, 1);
      if (row.sequence > this.#decided) this.#undecided.push(row);
      else if (this.#matches(row)) this.#insert(row);
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
    const kept = this.kept.toArray();
    for (const row of kept) {
      if (row.sequence <= decided && matches(row)) this.matching.push(row);
    }
    this.#undecided = kept.filter(({ sequence }) => sequence > decided).sort(bySequence);
  }

  /** Lets newer requests through the filter, up to this one. */
  decide(upTo: number): void {
    this.#decided = upTo;
    const waiting = this.#undecided.findIndex(({ sequence }) => sequence > upTo);
    const decided = this.#undecided.splice(0, waiting < 0 ? Infinity : waiting);
    const oldest = this.kept.at(0);
    for (const row of decided) {
      if (oldest && byArrival(row, oldest) >= 0 && this.#matches(row)) this.#insert(row);
    }
  }

  clear(): void {
    this.kept.clear();
    this.matching.clear();
    this.#undecided = [];
    this.occurring.clear();
  }

  /** The index of a row in `matching`, or of the first row after it. */
  indexOf(row: RequestRow): number {
    return placeOf(this.matching, row);
  }

  #insert(row: RequestRow): void {
    insert(this.matching, row);
    this.#appended++;
  }

  #forget(count: number): void {
    if (count <= 0) return;
    for (let i = 0; i < count; i++) this.occurring.change(this.kept.at(i)!, -1);
    this.kept.drop(count);
    const gone = this.indexOf(this.kept.at(0)!);
    this.matching.drop(gone);
    this.#dropped += gone;
  }
}

/** Compares requests by the time of their arrival. */
export function byArrival(one: RequestRow, other: RequestRow): number {
  if (one.receivedAt === other.receivedAt) return bySequence(one, other);
  return one.receivedAt < other.receivedAt ? -1 : 1;
}

function bySequence(one: RequestRow, other: RequestRow): number {
  return one.sequence - other.sequence;
}

/** Puts a row at its place, which is at the end or near it. */
function insert(rows: Tail<RequestRow>, row: RequestRow): void {
  let place = rows.length;
  while (place > 0 && byArrival(rows.at(place - 1)!, row) > 0) place--;
  rows.insert(place, row);
}

/** The index of a row, or of the first row after it. */
function placeOf(rows: Tail<RequestRow>, row: RequestRow): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byArrival(rows.at(middle)!, row) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type Order = 'newest-first' | 'oldest-first';

/** The requests that the filter lets through, in the order of the list. */
export function listed(log: RequestLog, order: Order): Rows<RequestRow> {
  const { length } = log.matching;
  const turned = (index: number): number => (order === 'newest-first' ? length - 1 - index : index);
  return {
    length,
    at: (index) => log.matching.at(turned(index)),
    indexOf: (row) => (length === 0 ? undefined : turned(Math.min(log.indexOf(row), length - 1))),
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

  /** Puts an item before the one at an index from the oldest; the end is the cheapest place. */
  insert(index: number, item: T): void {
    this.#items.splice(this.#start + index, 0, item);
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
