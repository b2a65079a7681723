import type { Clock } from '../clock.js';
import { ClockSetback } from '../storage/clock-setback.js';
import { retryCodeOf, type RetryRow } from './retry-row.js';
import type { ImportStore } from './store.js';

export interface RetryQueueOptions {
  /** New rows are numbered from here on. Default: the last id in the store. */
  readonly last?: number;
  /** Default 1; threads share the numbers by it. */
  readonly step?: number;
  /** Whether a row that is put leaves with the next commit, and never waits here. Default false. */
  readonly handsOn?: boolean;
}

/** The events that wait for a retry, and the changes that are not committed yet. */
export class RetryQueue {
  readonly #store: ImportStore;
  readonly #clock: Clock;
  /** A setback stays seen until the delays of the waiting rows are limited. */
  readonly #setback: ClockSetback;
  readonly #idStep: number;
  readonly #handsOn: boolean;
  readonly #inFlight = new Set<number>();
  #put = new Map<number, RetryRow>();
  #deleted: number[] = [];
  #waiting: number;
  #nextDueAt: number;
  #lastId: number;
  /** The row that was put last, or is due first. */
  #latest: RetryRow | undefined;

  constructor(store: ImportStore, clock: Clock, options: RetryQueueOptions = {}) {
    const { last = store.lastRetryId(), step = 1, handsOn = false } = options;
    this.#store = store;
    this.#clock = clock;
    this.#setback = new ClockSetback(clock);
    store.limitRetryDelays(clock.now());
    this.#waiting = store.retryCount();
    this.#latest = store.earliestRetries(1)[0];
    this.#nextDueAt = this.#latest?.dueAt ?? Infinity;
    this.#lastId = last;
    this.#idStep = step;
    this.#handsOn = handsOn;
  }

  /** How many events wait, including those in flight. */
  get waiting(): number {
    return this.#waiting;
  }

  /** When the next waiting event is due, in milliseconds since 1970; Infinity when none waits. */
  get nextDueAt(): number {
    return this.#nextDueAt;
  }

  /** Why events wait: the code of the latest failure; undefined before the first. */
  get code(): string | undefined {
    return this.#latest && retryCodeOf(this.#latest);
  }

  nextId(): number {
    this.#lastId += this.#idStep;
    return this.#lastId;
  }

  put(row: RetryRow): void {
    this.#put.set(row.id, row);
    this.#latest = row;
    if (this.#handsOn) return;
    this.#waiting++;
    this.#nextDueAt = Math.min(this.#nextDueAt, row.dueAt);
  }

  /** Whether a row is due, or may be due since the clock was set back. */
  checkDue(): boolean {
    return this.#setback.isSeen || this.#nextDueAt <= this.#clock.now();
  }

  /** Marks up to `limit` due rows as in flight and returns them. All rows put must be committed. */
  takeDue(limit: number): RetryRow[] {
    const isSetBack = this.#setback.isSeen;
    if (isSetBack) this.#setback.reset();
    const now = this.#clock.now();
    if (isSetBack) this.#store.limitRetryDelays(now);
    const rows = this.#store.earliestRetries(limit + this.#inFlight.size + 1);
    const idle = rows.filter(({ id }) => !this.#inFlight.has(id));
    const due = idle.slice(0, limit).filter(({ dueAt }) => dueAt <= now);
    for (const { id } of due) this.#inFlight.add(id);
    this.#nextDueAt = idle[due.length]?.dueAt ?? Infinity;
    return due;
  }

  /**
   * Marks the row that is due first, or will be, as in flight and returns it; undefined when none is idle. All
   * rows put must be committed.
   */
  takeEarliest(): RetryRow | undefined {
    const rows = this.#store.earliestRetries(1 + this.#inFlight.size);
    const earliest = rows.find(({ id }) => !this.#inFlight.has(id));
    if (earliest) this.#inFlight.add(earliest.id);
    return earliest;
  }

  /** Puts a row in flight back unchanged, for a later run. */
  putBack({ id }: RetryRow): void {
    this.#inFlight.delete(id);
  }

  /** Ends a row in flight; it is deleted unless it is put again. */
  end({ id }: RetryRow, isPutAgain: boolean): void {
    this.#inFlight.delete(id);
    this.#waiting--;
    if (!isPutAgain) this.#deleted.push(id);
  }

  /** Makes all rows due at once. @throws StateError when that cannot be written. */
  flush(): void {
    if (this.#waiting === 0) return;
    this.#store.makeRetriesDue();
    this.#nextDueAt = 0;
  }

  /** The changes since the last commit. */
  changes(): { putRetries: RetryRow[]; deleteRetries: number[] } {
    return { putRetries: [...this.#put.values()], deleteRetries: this.#deleted };
  }

  committed(): void {
    this.#put = new Map();
    this.#deleted = [];
  }
}
