import type { EndpointDeliveryState } from '../../../delivery/outcome.js';
import type { Clock } from '../../../clock.js';
import type { Row } from '../../../storage/sqlite.js';
import type { StateFile } from '../../../storage/state-file.js';
import { BlockWriter } from './block-writer.js';
import { DamagedRows, type OnDamaged } from './damaged-rows.js';
import { bytesOf, eventOfBlock, type NewEvent } from '../event-block.js';
import type { NameTable } from './name-table.js';
import { QueueLengths } from './queue-lengths.js';
import { QueuedBlocks } from './queued-blocks.js';
import { UserEvents } from './user-events.js';
import {
  eventColumns,
  eventOfRow,
  eventValues,
  type RetryEvent,
  retryEventOfRow,
  type StoredEvent,
  unlessDamaged,
} from '../stored.js';
import type { Queued } from '../service-store.js';

/** When and why an event is attempted again. */
export interface Retry {
  readonly endpointDeliveries: readonly EndpointDeliveryState[];
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** From the last attempt to the next one, in milliseconds. */
  readonly delayMs: number;
  readonly code: string;
  readonly message: string;
}

export interface EventQueueOptions {
  readonly connection: StateFile;
  readonly clock: Clock;
  readonly nameTable: NameTable;
  readonly onDamaged?: OnDamaged;
}

/**
 * The events that wait for destinations. Those without an attempt are in blocks, which are written and
 * deleted as a whole; an event that waits for a retry, or is parked behind another one of its user, has a row of its
 * own, so that it keeps no block.
 */
export class EventQueue {
  readonly lengths: QueueLengths;
  readonly blocks: QueuedBlocks;
  readonly users: UserEvents;
  readonly damaged: DamagedRows;
  readonly #connection: StateFile;
  readonly #clock: Clock;
  readonly #nameTable: NameTable;
  readonly #writer: BlockWriter;

  constructor(options: EventQueueOptions) {
    const { connection, clock, nameTable, onDamaged = () => undefined } = options;
    this.#connection = connection;
    this.#clock = clock;
    this.#nameTable = nameTable;
    this.lengths = new QueueLengths(connection);
    this.users = new UserEvents(connection);
    this.damaged = new DamagedRows(connection, this.lengths, this.users, onDamaged);
    this.blocks = new QueuedBlocks(connection, this.damaged);
    this.#writer = new BlockWriter(connection, this.lengths);
  }

  /** Within a transaction: adds an event that waits for these destinations. */
  add(event: NewEvent, destinations: readonly number[]): StoredEvent {
    const { id, queuedAt } = this.#writer.add(event, destinations, this.#clock.now());
    const { receivedAt, stamp } = event;
    const source = this.#nameTable.name(event.source);
    return { id, source, receivedAt, queuedAt, event: event.event, stamp };
  }

  /** As `SqliteStore.notAttempted`, by the number of the destination. */
  notAttempted(
    destination: number,
    afterId: number,
    limit: number,
    maxBytes = Infinity,
  ): StoredEvent[] {
    return this.blocks.read(destination, afterId, limit, maxBytes, (event) =>
      eventOfBlock(event, this.#nameTable.name(event.source)),
    );
  }

  /** Whether an event waits for a destination, attempted or not. */
  isWaiting(destination: number, id: number): boolean {
    return (
      this.blocks.isWaiting(destination, id) ||
      this.#connection.get(selectHasRetry, destination, id) !== undefined ||
      (!this.users.isEmpty(destination) && this.users.parkedFor(id).includes(destination))
    );
  }

  /** One retry with its event; undefined if it has ended, or cannot be read. */
  retry(destination: number, id: number): RetryEvent | undefined {
    if (!this.#connection.get(selectHasRetry, destination, id)) return undefined;
    const retry = unlessDamaged(() => {
      const row = this.#connection.get(selectRetry, destination, id)!;
      return retryEventOfRow(row, this.#nameTable.name(Number(row.source)));
    });
    if (!retry) this.damaged.add({ kind: 'retry', destination, id });
    return retry;
  }

  /** The first event of a user that is parked and has nothing before it that waits. */
  nextParked(destination: number, user: string): StoredEvent | undefined {
    for (const { id, behind } of this.users.parkedFirst(destination, user, parkedAtOnce)) {
      if (behind !== 0 && this.blocks.isWaiting(destination, behind)) return undefined;
      const event = this.parked(destination, id);
      if (event) return event;
    }
    return undefined;
  }

  /** A parked event; undefined if it cannot be read. */
  parked(destination: number, id: number): StoredEvent | undefined {
    const event = unlessDamaged(() => {
      const row = this.#connection.get(selectParked, id)!;
      return eventOfRow(row, this.#nameTable.name(Number(row.source)));
    });
    if (!event) this.damaged.add({ kind: 'parked', destination, id });
    return event;
  }

  /** The text of an event that waits for any destination. @throws Error if it is gone or damaged */
  text(id: number): Buffer {
    const row = this.#connection.get(selectText, id);
    return row ? bytesOf(row) : this.blocks.text(id);
  }

  /** What has waited longest for a destination, attempted or not; undefined when nothing waits. */
  oldest(destination: number): Queued | undefined {
    const { retrying } = this.lengths.of(destination);
    const row = retrying > 0 ? this.#connection.get(selectOldestRetry, destination) : undefined;
    return older(this.oldestNotAttempted(destination), row && queuedOf(row));
  }

  /** What has waited longest for its first attempt. */
  oldestNotAttempted(destination: number): Queued | undefined {
    const { waiting, retrying } = this.lengths.of(destination);
    if (waiting <= retrying) return undefined;
    const [parked] = this.users.parkedAfter(destination, 0, 1);
    const row = parked === undefined ? undefined : this.#connection.get(selectParked, parked);
    return older(this.blocks.oldest(destination), row && queuedOf(row));
  }

  /** Within a transaction: removes an event from the queue of a destination. Returns whether it was there. */
  remove(destination: number, event: number): boolean {
    if (this.blocks.remove(destination, event)) this.lengths.add(destination, -1, 0);
    else if (this.#removeRetry(destination, event)) this.lengths.add(destination, -1, -1);
    else if (this.#removeParked(destination, event)) this.lengths.add(destination, -1, 0);
    // Its row was set aside while the event was in memory.
    else return this.#removeAside(-destination, event);
    return true;
  }

  #removeAside(destination: number, event: number): boolean {
    return (
      this.blocks.remove(destination, event) ||
      this.#removeRetry(destination, event) ||
      this.#removeParked(destination, event)
    );
  }

  /** Within a transaction: lets an event of a user wait for the one before it, if it still waits. */
  park(destination: number, event: StoredEvent, user: string, behind: number): void {
    const isQueued = this.blocks.remove(destination, event.id);
    if (!isQueued && !this.blocks.remove(-destination, event.id)) return;
    this.#insertEvent(event);
    this.users.park(destination, user, event.id, behind);
    if (!isQueued) this.lengths.add(destination, 1, 0);
  }

  /** Within a transaction: lets an event wait for its next attempt, if it still waits; `user` of an ordered destination. */
  postpone(destination: number, event: StoredEvent, retry: Retry, user?: string): void {
    const { endpointDeliveries, dueAt, delayMs, code, message } = retry;
    const values = [dueAt, delayMs, JSON.stringify(endpointDeliveries), code, message];
    const isQueued = this.blocks.remove(destination, event.id);
    // Or its block was set aside while the event was in memory.
    if (isQueued || this.blocks.remove(-destination, event.id)) {
      this.#insertEvent(event);
      this.#connection.run(insertRetry, ...values, event.id, destination);
      this.lengths.add(destination, isQueued ? 0 : 1, 1);
    } else if (this.users.unpark(destination, event.id)) {
      this.#connection.run(insertRetry, ...values, event.id, destination);
      this.lengths.add(destination, 0, 1);
    } else if (this.#connection.run(updateRetry, ...values, event.id, destination) === 0) return;
    if (user !== undefined) this.users.addRetry(destination, user, event.id);
  }

  /**
   * Writes what the current transaction has added and removed: at its end, and before a read within it,
   * since reads see only what is written.
   */
  write(): void {
    this.#writer.write();
    this.blocks.write();
    this.damaged.write();
  }

  committed(): void {
    this.lengths.committed();
    this.users.committed();
    this.damaged.committed();
  }

  rolledBack(): void {
    this.#writer.rolledBack();
    this.blocks.rolledBack();
    this.lengths.rolledBack();
    this.users.rolledBack();
    this.damaged.rolledBack();
  }

  /** Deletes the event where it waits for no other destination. */
  #removeRetry(destination: number, event: number): boolean {
    if (this.#connection.run(deleteRetry, event, destination) === 0) return false;
    this.users.remove(destination, event);
    this.#deleteEvent(event);
    return true;
  }

  #removeParked(destination: number, event: number): boolean {
    if (!this.users.remove(destination, event)) return false;
    this.#deleteEvent(event);
    return true;
  }

  #deleteEvent(event: number): void {
    if (!this.users.isParked(event)) this.#connection.run(deleteEvent, event, event);
  }

  /** Does nothing if the event has a row already, for a retry at another destination. */
  #insertEvent({ id, source, receivedAt, queuedAt, event, stamp }: StoredEvent): void {
    const number = this.#nameTable.id('source', source);
    const values = eventValues(number, receivedAt, stamp, event.bytes);
    this.#connection.run(insertEvent, id, ...values, queuedAt);
  }
}

/** Of a user, until one can be read. */
const parkedAtOnce = 16;

function queuedOf({ id, queued_at }: Row): Queued {
  return { id: Number(id), queuedAt: Number(queued_at) };
}

function older(one: Queued | undefined, other: Queued | undefined): Queued | undefined {
  if (!one || !other) return one ?? other;
  // Also where the clock was set back in between.
  const queuedAt = Math.min(one.queuedAt, other.queuedAt);
  return { id: Math.min(one.id, other.id), queuedAt };
}

const selectParked = 'SELECT * FROM retry_event WHERE id = ?';
const selectText = 'SELECT bytes FROM retry_event WHERE id = ?';
const selectHasRetry = 'SELECT 1 FROM retry WHERE destination = ? AND event = ?';
const selectRetry = `SELECT r.due_at, r.endpoints, e.* FROM retry r JOIN retry_event e ON e.id = r.event
  WHERE r.destination = ? AND r.event = ?`;
const insertEvent = `INSERT INTO retry_event (id, ${eventColumns}, queued_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
const insertRetry = `INSERT INTO retry (due_at, delay_ms, endpoints, code, message, event, destination)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const selectOldestRetry = `SELECT e.id, e.queued_at FROM retry r JOIN retry_event e ON e.id = r.event
  WHERE r.destination = ? ORDER BY r.event LIMIT 1`;
const updateRetry = `UPDATE retry SET due_at = ?, delay_ms = ?, endpoints = ?, code = ?, message = ?
  WHERE event = ? AND destination = ?`;
const deleteRetry = 'DELETE FROM retry WHERE event = ? AND destination = ?';
const deleteEvent =
  'DELETE FROM retry_event WHERE id = ? AND NOT EXISTS (SELECT 1 FROM retry WHERE event = ?)';
