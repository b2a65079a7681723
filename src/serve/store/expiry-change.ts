import type { EndpointDeliveryState } from '../../delivery/outcome.js';
import type { Change } from '../../storage/group-commit.js';
import type { Row } from '../../storage/sqlite.js';
import type { StoreContext } from './store-context.js';
import { insertDeadLetter, type Failure } from './end-change.js';
import { maxWaitMs, storedEvent, type StoredEvent } from './stored.js';

/** Why an event is given up that nobody could be asked to take. */
export const expired = {
  code: 'expired',
  message: 'it had waited for 7 days; the destination was off, or took too little',
} as const;

/** What of a destination may be given up. */
export interface Unused {
  /** Untried events up to this id are on their way in memory. */
  readonly taken: number;
  /** Whether those that wait for a retry stay, too. */
  readonly keepsRetries: boolean;
}

/** How far a look through what waits for a destination has come. */
export interface ExpiryPosition {
  /** Id of the last untried event that was looked at. */
  readonly notAttempted: number;
  /** Of the last retry that was looked at, which are in the order of these two. */
  readonly dueAt: number;
  readonly tried: number;
}

export const expiryStart: ExpiryPosition = { notAttempted: 0, dueAt: 0, tried: 0 };
const allNotAttempted = Number.MAX_SAFE_INTEGER;

/** Told of an event that was given up. */
export type OnExpired = (event: StoredEvent, failure: Failure) => void;

export interface ExpiryChangeOptions {
  /** Name. */
  readonly destination: string;
  /** Asked within the transaction. */
  readonly unused: () => Unused;
  /** Where to go on. */
  readonly from: ExpiryPosition;
  /** So many untried ones, and so many retries, are looked at. */
  readonly limit: number;
  readonly onExpired: OnExpired;
  /** With where to go on; undefined when no other one can have waited too long. */
  readonly resolve: (next: ExpiryPosition | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes dead letters of events that have waited too long for a destination. */
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

  committed(): void {
    for (const [event, failure] of this.#done) this.#options.onExpired(event, failure);
    this.#options.resolve(this.#next);
  }

  failed(error: unknown): void {
    this.#options.reject(error);
  }

  #found(destination: number): Row[] {
    const { unused, from, limit } = this.#options;
    const { taken, keepsRetries } = unused();
    const untried = this.#notAttempted(destination, Math.max(taken, from.notAttempted));
    if (this.#isToGoOn(untried)) {
      this.#next = { ...from, notAttempted: Number(untried.at(-1)!.id) };
      return untried.filter((row) => this.#isOld(row));
    }
    const tried = keepsRetries ? [] : this.#tried(destination);
    const last = tried.at(-1);
    this.#next =
      tried.length === limit && last
        ? { notAttempted: allNotAttempted, dueAt: Number(last.due_at), tried: Number(last.id) }
        : undefined;
    return [...untried, ...tried].filter((row) => this.#isOld(row));
  }

  #notAttempted(destination: number, after: number): Row[] {
    const { connection } = this.#context;
    return connection.all(selectNotAttempted, destination, after, this.#options.limit);
  }

  #tried(destination: number): Row[] {
    const { connection, clock } = this.#context;
    const { dueAt, tried } = this.#options.from;
    const before = clock.now() - maxWaitMs;
    return connection.all(selectAttempted, destination, before, dueAt, tried, this.#options.limit);
  }

  /** Those behind a young one are younger. One that was queued while the clock was ahead is neither. */
  #isToGoOn(notAttempted: readonly Row[]): boolean {
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
    const { code, message, attempts, lastStatus } = failure;
    const values = [destination, clock.now(), code, message, attempts, lastStatus];
    connection.run(insertDeadLetter, ...values, id, destination);
    this.#context.kept.letter.add(destination, 1);
    counts.add(Number(row.source), destination, 'failed');
    this.#context.deleteDelivery(id, destination, row.due_at !== null);
    return [storedEvent(row, nameTable.name(Number(row.source))), failure];
  }
}

function failureOf({ legs: endpointDeliveries }: Row): Failure {
  const tried =
    endpointDeliveries === null
      ? []
      : (JSON.parse(endpointDeliveries as string) as EndpointDeliveryState[]);
  const attempts = tried.reduce((sum, endpointDelivery) => sum + endpointDelivery.attempts, 0);
  return { ...expired, attempts, lastStatus: tried[0]?.status ?? null };
}

const select = `SELECT d.due_at, d.legs, e.* FROM delivery d JOIN event e ON e.id = d.event
  WHERE d.destination = ?`;
const selectNotAttempted = `${select} AND d.due_at IS NULL AND d.event > ? ORDER BY d.event LIMIT ?`;
/** No retry waits longer than its window: one that was due later cannot be so old. */
const selectAttempted = `${select} AND d.due_at <= ? AND (d.due_at, d.event) > (?, ?)
  ORDER BY d.due_at, d.event LIMIT ?`;
