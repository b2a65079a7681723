import type { LegState } from '../../deliver/outcome.js';
import type { Row } from '../../ledger/database.js';
import type { Books } from './books.js';
import { insertLetter, type Failure } from './end-change.js';
import type { Change } from './group-commit.js';
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

/** Told of an event that was given up. */
export type OnExpired = (event: StoredEvent, failure: Failure) => void;

export interface ExpiryChangeOptions {
  /** Name. */
  readonly destination: string;
  /** Asked within the transaction. */
  readonly unused: () => Unused;
  readonly limit: number;
  readonly onExpired: OnExpired;
  /** With how many there were. */
  readonly resolve: (count: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes dead letters of events that have waited too long for a destination. */
export class ExpiryChange implements Change {
  readonly rows = 1;
  readonly #books: Books;
  readonly #options: ExpiryChangeOptions;
  #done: (readonly [StoredEvent, Failure])[] = [];

  constructor(books: Books, options: ExpiryChangeOptions) {
    this.#books = books;
    this.#options = options;
  }

  write(): void {
    const { parties } = this.#books;
    const destination = parties.id('destination', this.#options.destination);
    this.#done = this.#found(destination).map((row) => this.#giveUp(destination, row));
  }

  committed(): void {
    for (const [event, failure] of this.#done) this.#options.onExpired(event, failure);
    this.#options.resolve(this.#done.length);
  }

  failed(error: unknown): void {
    this.#options.reject(error);
  }

  #found(destination: number): Row[] {
    const { connection, clock } = this.#books;
    const { unused, limit } = this.#options;
    const { taken, keepsRetries } = unused();
    const before = clock.now() - maxWaitMs;
    const untried = connection.all(selectUntried, destination, taken, limit, before);
    if (keepsRetries || untried.length === limit) return untried;
    const tried = connection.all(selectTried, destination, before, limit - untried.length);
    return [...untried, ...tried];
  }

  #giveUp(destination: number, row: Row): readonly [StoredEvent, Failure] {
    const { connection, clock, counts, parties } = this.#books;
    const id = Number(row.id);
    const failure = failureOf(row);
    const { code, message, attempts, lastStatus } = failure;
    const values = [destination, clock.now(), code, message, attempts, lastStatus];
    connection.run(insertLetter, ...values, id, destination);
    this.#books.kept.letter.add(destination, 1);
    counts.add(Number(row.source), destination, 'failed');
    this.#books.deleteDelivery(id, destination, row.due_at !== null);
    return [storedEvent(row, parties.name(Number(row.source))), failure];
  }
}

function failureOf({ legs }: Row): Failure {
  const tried = legs === null ? [] : (JSON.parse(legs as string) as LegState[]);
  const attempts = tried.reduce((sum, leg) => sum + leg.attempts, 0);
  return { ...expired, attempts, lastStatus: tried[0]?.status ?? null };
}

const select = `SELECT d.due_at, d.legs, e.* FROM delivery d JOIN event e ON e.id = d.event
  WHERE d.destination = ?`;
/** The first of the queue are the oldest: no others are looked at, however many there are. */
const selectUntried = `SELECT * FROM (
    ${select} AND d.due_at IS NULL AND d.event > ? ORDER BY d.event LIMIT ?)
  WHERE queued_at <= ?`;
/** A retry that was due so long ago was queued before that. */
const selectTried = `${select} AND d.due_at <= ? ORDER BY d.due_at LIMIT ?`;
