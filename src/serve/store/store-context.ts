import type { Clock } from '../../clock.js';
import type { SqlValue } from '../../storage/sqlite.js';
import type { StateFile } from '../../storage/state-file.js';
import { Counts } from './counts.js';
import { RowCounts } from './row-counts.js';
import { RowLimit } from './row-limit.js';
import { NameTable } from './name-table.js';
import { QueueLengths } from './queue-lengths.js';
import { RetryTimes } from './retry-times.js';
import { SeenEvents } from './seen-events.js';
import { eventColumns } from './stored.js';

/** How many dead letters, rejected calls and deletion requests are kept by default, the newest. */
export const maxStoredRows = { deadLetter: 100_000, rejected: 10_000, deletion: 10_000 };

/** Called for dead letters of a destination that were dropped for newer ones. */
export type OnDropped = (destination: string, count: number) => void;

/** The connection of a store and its in-memory tables, shared by its changes. */
export class StoreContext {
  readonly connection: StateFile;
  readonly clock: Clock;
  readonly retryTimes: RetryTimes;
  readonly nameTable: NameTable;
  readonly counts: Counts;
  readonly lengths: QueueLengths;
  readonly seen: SeenEvents;
  /** By destination, and by source. */
  readonly kept: Readonly<Record<keyof typeof maxStoredRows, RowCounts>>;
  readonly deadLetters: RowLimit;
  readonly #rejected: RowLimit;
  readonly #deletions: RowLimit;
  readonly #onDropped: OnDropped;
  /** Of the current transaction: events whose `delivery` rows are not inserted yet. */
  #pending: EventRange | undefined;

  constructor(connection: StateFile, clock: Clock, onDropped: OnDropped, most = maxStoredRows) {
    this.connection = connection;
    this.clock = clock;
    this.retryTimes = new RetryTimes(connection, clock);
    this.nameTable = new NameTable(connection);
    this.counts = new Counts(connection, this.nameTable);
    this.lengths = new QueueLengths(connection);
    this.seen = new SeenEvents(connection, clock, this.nameTable);
    this.kept = {
      deadLetter: new RowCounts(connection, 'letter', 'destination'),
      rejected: new RowCounts(connection, 'rejected', 'source'),
      deletion: new RowCounts(connection, 'deletion', 'source'),
    };
    this.deadLetters = new RowLimit(connection, 'letter', this.kept.deadLetter, most.deadLetter);
    this.#rejected = new RowLimit(connection, 'rejected', this.kept.rejected, most.rejected);
    this.#deletions = new RowLimit(connection, 'deletion', this.kept.deletion, most.deletion);
    this.#onDropped = onDropped;
  }

  /**
   * Within a transaction: adds an event that waits for these destinations. Returns its id. Its `delivery`
   * rows are inserted with those of other events, at the end of the transaction at the latest.
   */
  insertEvent(
    values: readonly SqlValue[],
    queuedAt: number,
    destinations: readonly number[],
  ): number {
    const id = this.connection.insert(insertEvent, ...values, queuedAt);
    const pending = this.#pending;
    if (pending && id === pending.last + 1 && isSame(destinations, pending.destinations)) {
      pending.last = id;
    } else {
      this.#flushDeliveries();
      this.#pending = { first: id, last: id, destinations };
    }
    return id;
  }

  /** One statement for many events, which mostly have the same destinations. */
  #flushDeliveries(): void {
    if (!this.#pending) return;
    const { first, last, destinations } = this.#pending;
    for (const destination of destinations) {
      this.connection.run(insertDeliveries, destination, first, last);
      this.lengths.add(destination, last - first + 1, 0);
    }
    this.#pending = undefined;
  }

  /**
   * Within a transaction: removes an event from the queue of a destination, and the event itself with
   * its last one. Returns whether it was queued.
   */
  deleteDelivery(event: number, destination: number, wasRetrying: boolean): boolean {
    if (this.connection.run(deleteDelivery, event, destination) === 0) return false;
    this.connection.run(deleteEvent, event, event);
    this.lengths.add(destination, -1, wasRetrying ? -1 : 0);
    return true;
  }

  /** At the start of a transaction, before the current time is written. */
  begin(): void {
    if (this.retryTimes.isSetBack) this.retryTimes.correct();
  }

  /** At the end of a transaction. */
  write(): void {
    this.#flushDeliveries();
    for (const { source, destination, count } of this.deadLetters.prune()) {
      this.counts.add(source, destination, 'dropped', count);
    }
    this.#rejected.prune();
    this.#deletions.prune();
    this.nameTable.write();
    this.counts.write();
    this.seen.write();
  }

  committed(): void {
    const { dropped } = this.deadLetters;
    for (const part of [this.nameTable, ...this.#parts]) part.committed();
    for (const { destination, count } of dropped) {
      this.#onDropped(this.nameTable.name(destination), count);
    }
  }

  rolledBack(): void {
    this.#pending = undefined;
    for (const part of this.#parts) part.rolledBack();
  }

  get #parts() {
    const { counts, lengths, seen, kept, deadLetters, retryTimes } = this;
    const all = [deadLetters, this.#rejected, this.#deletions, retryTimes];
    return [counts, lengths, seen, kept.deadLetter, kept.rejected, kept.deletion, ...all];
  }
}

/** Events with consecutive ids that wait for the same destinations. */
interface EventRange {
  readonly first: number;
  last: number;
  readonly destinations: readonly number[];
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id, i) => id === other[i]);
}

const insertEvent = `INSERT INTO event (${eventColumns}, queued_at) VALUES (?, ?, ?, ?, ?, ?, ?)`;
const insertDeliveries =
  'INSERT INTO delivery (event, destination) SELECT id, ? FROM event WHERE id BETWEEN ? AND ?';
const deleteDelivery = 'DELETE FROM delivery WHERE event = ? AND destination = ?';
const deleteEvent =
  'DELETE FROM event WHERE id = ? AND NOT EXISTS (SELECT 1 FROM delivery WHERE event = ?)';
