import type { EndpointDeliveryState } from '../../delivery/outcome.js';
import type { Change } from '../../storage/group-commit.js';
import type { Row } from '../../storage/sqlite.js';
import type { StoreContext } from './store-context.js';
import { deadLetterValues, insertDeadLetter, type Failure } from './end-change.js';
import { maxWaitMs, storedEvent, type StoredEvent } from './stored.js';

/** The failure of an event that could not be sent in time. */
export const expired = {
  code: 'expired',
  message: 'it waited for 7 days; the destination was off or too slow',
} as const;

/** Which events of a destination may expire. */
export interface Unused {
  /** Events without an attempt up to this id are in memory. */
  readonly loadedUpTo: number;
  /** Whether those that wait for a retry are in use, too. */
  readonly keepsRetries: boolean;
}

/** Position of a scan through the waiting events of a destination. */
export interface ExpiryPosition {
  /** Id of the last examined event without an attempt. */
  readonly notAttempted: number;
  /** Due time and event id of the last examined retry; retries are in this order. */
  readonly dueAt: number;
  readonly retry: number;
}

export const expiryStart: ExpiryPosition = { notAttempted: 0, dueAt: 0, retry: 0 };
const allNotAttempted = Number.MAX_SAFE_INTEGER;

/** Called for an event that has expired. */
export type OnExpired = (event: StoredEvent, failure: Failure) => void;

export interface ExpiryChangeOptions {
  /** Name. */
  readonly destination: string;
  /** Asked within the transaction. */
  readonly unused: () => Unused;
  /** Where to continue. */
  readonly from: ExpiryPosition;
  /** How many events without an attempt, and how many retries, are examined. */
  readonly limit: number;
  readonly onExpired: OnExpired;
  /** With the position to continue from; undefined when no other event can have expired. */
  readonly resolve: (next: ExpiryPosition | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Turns events that have waited too long for a destination into dead letters. */
export class ExpiryChange implements Change {
  readonly rows = 1;
  readonly #context: StoreContext;
  readonly #options: ExpiryChangeOptions;
  #done: (readonly [StoredEvent, Failure])[] = [];
  #next: ExpiryPosition | undefined;

  constructor(context: StoreContext, options: ExpiryChangeOptions) {
    this.#context = context;
    this.#options = options;
  }

  write(): void {
    const { nameTable } = this.#context;
    const destination = nameTable.id('destination', this.#options.destination);
    this.#done = this.#found(destination).map((row) => this.#giveUp(destination, row));
  }

  durable(): void {
    for (const [event, failure] of this.#done) this.#options.onExpired(event, failure);
    this.#options.resolve(this.#next);
  }

  failed(error: unknown): void {
    this.#options.reject(error);
  }

  #found(destination: number): Row[] {
    const { unused, from, limit } = this.#options;
    const { loadedUpTo, keepsRetries } = unused();
    const notAttempted = this.#notAttempted(destination, Math.max(loadedUpTo, from.notAttempted));
    if (this.#mayHaveMore(notAttempted)) {
      this.#next = { ...from, notAttempted: Number(notAttempted.at(-1)!.id) };
      return notAttempted.filter((row) => this.#isOld(row));
    }
    const retries = keepsRetries ? [] : this.#retries(destination);
    const last = retries.at(-1);
    this.#next =
      retries.length === limit && last
        ? { notAttempted: allNotAttempted, dueAt: Number(last.due_at), retry: Number(last.id) }
        : undefined;
    return [...notAttempted, ...retries].filter((row) => this.#isOld(row));
  }

  #notAttempted(destination: number, after: number): Row[] {
    const { connection } = this.#context;
    return connection.all(selectNotAttempted, destination, after, this.#options.limit);
  }

  #retries(destination: number): Row[] {
    const { connection, clock } = this.#context;
    const { dueAt, retry } = this.#options.from;
    const before = clock.now() - maxWaitMs;
    return connection.all(selectAttempted, destination, before, dueAt, retry, this.#options.limit);
  }

  /** Events after a young one are younger, unless it was queued while the clock was ahead. */
  #mayHaveMore(notAttempted: readonly Row[]): boolean {
    const now = this.#context.clock.now();
    const isYoung = (row: Row): boolean => !this.#isOld(row) && Number(row.queued_at) <= now;
    return notAttempted.length === this.#options.limit && !notAttempted.some(isYoung);
  }

  #isOld({ queued_at }: Row): boolean {
    return Number(queued_at) <= this.#context.clock.now() - maxWaitMs;
  }

  #giveUp(destination: number, row: Row): readonly [StoredEvent, Failure] {
    const { connection, clock, counts, nameTable } = this.#context;
    const id = Number(row.id);
    const failure = failureOf(row);
    const values = deadLetterValues(destination, clock.now(), failure);
    connection.run(insertDeadLetter, ...values, id, destination);
    this.#context.kept.deadLetter.add(destination, 1);
    counts.add(Number(row.source), destination, 'failed');
    this.#context.deleteDelivery(id, destination, row.due_at !== null);
    return [storedEvent(row, nameTable.name(Number(row.source))), failure];
  }
}

function failureOf({ legs: endpointDeliveries }: Row): Failure {
  const attempted =
    endpointDeliveries === null
      ? []
      : (JSON.parse(endpointDeliveries as string) as EndpointDeliveryState[]);
  const attempts = attempted.reduce((sum, endpointDelivery) => sum + endpointDelivery.attempts, 0);
  return { ...expired, attempts, lastStatus: attempted[0]?.status ?? null };
}

const select = `SELECT d.due_at, d.legs, e.* FROM delivery d JOIN event e ON e.id = d.event
  WHERE d.destination = ?`;
const selectNotAttempted = `${select} AND d.due_at IS NULL AND d.event > ? ORDER BY d.event LIMIT ?`;
/** No retry waits longer than its window, so one that is due later cannot have expired. */
const selectAttempted = `${select} AND d.due_at <= ? AND (d.due_at, d.event) > (?, ?)
  ORDER BY d.due_at, d.event LIMIT ?`;
