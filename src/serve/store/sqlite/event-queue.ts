import type { EndpointDeliveryState } from '../../../delivery/outcome.js';
import type { Clock } from '../../../clock.js';
import type { StateFile } from '../../../storage/state-file.js';
import { BlockWriter } from './block-writer.js';
import { DamagedRows, type OnDamaged } from './damaged-rows.js';
import { bytesOf, eventOfBlock, type NewEvent } from '../event-block.js';
import type { NameTable } from './name-table.js';
import { QueueLengths } from './queue-lengths.js';
import { QueuedBlocks } from './queued-blocks.js';
import {
  eventColumns,
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
 * deleted as a whole; an event that waits for a retry has a row of its own, so that it keeps no block.
 */
export class EventQueue {
  readonly lengths: QueueLengths;
  readonly blocks: QueuedBlocks;
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
    this.damaged = new DamagedRows(connection, this.lengths, onDamaged);
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

  /** The text of an event that waits for any destination. @throws Error if it is gone or damaged */
  text(id: number): Buffer {
    const row = this.#connection.get(selectText, id);
    return row ? bytesOf(row) : this.blocks.text(id);
  }

  /** What has waited longest for a destination, attempted or not; undefined when nothing waits. */
  oldest(destination: number): Queued | undefined {
    const { waiting, retrying } = this.lengths.of(destination);
    const block = waiting > retrying ? this.blocks.oldest(destination) : undefined;
    const row = retrying > 0 ? this.#connection.get(selectOldestRetry, destination) : undefined;
    const retry = row && { id: Number(row.id), queuedAt: Number(row.queued_at) };
    if (!block || !retry) return block ?? retry;
    // Also where the clock was set back in between.
    const queuedAt = Math.min(block.queuedAt, retry.queuedAt);
    return { id: Math.min(block.id, retry.id), queuedAt };
  }

  /** Within a transaction: removes an event from the queue of a destination. Returns whether it was there. */
  remove(destination: number, event: number): boolean {
    if (this.blocks.remove(destination, event)) this.lengths.add(destination, -1, 0);
    else if (this.#removeRetry(destination, event)) this.lengths.add(destination, -1, -1);
    // Its row was set aside while the event was in memory.
    else return this.blocks.remove(-destination, event) || this.#removeRetry(-destination, event);
    return true;
  }

  /** Within a transaction: lets an event wait for its next attempt, if it still waits. */
  postpone(destination: number, event: StoredEvent, retry: Retry): void {
    const { endpointDeliveries, dueAt, delayMs, code, message } = retry;
    const values = [dueAt, delayMs, JSON.stringify(endpointDeliveries), code, message];
    const isQueued = this.blocks.remove(destination, event.id);
    // Or its block was set aside while the event was in memory.
    if (isQueued || this.blocks.remove(-destination, event.id)) {
      this.#insertEvent(event);
      this.#connection.run(insertRetry, ...values, event.id, destination);
      this.lengths.add(destination, isQueued ? 0 : 1, 1);
    } else this.#connection.run(updateRetry, ...values, event.id, destination);
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
    this.damaged.committed();
  }

  rolledBack(): void {
    this.#writer.rolledBack();
    this.blocks.rolledBack();
    this.lengths.rolledBack();
    this.damaged.rolledBack();
  }

  /** Deletes the event with the last of its retries. */
  #removeRetry(destination: number, event: number): boolean {
    if (this.#connection.run(deleteRetry, event, destination) === 0) return false;
    this.#connection.run(deleteEvent, event, event);
    return true;
  }

  /** Does nothing if the event has a row already, for a retry at another destination. */
  #insertEvent({ id, source, receivedAt, queuedAt, event, stamp }: StoredEvent): void {
    const number = this.#nameTable.id('source', source);
    const values = eventValues(number, receivedAt, stamp, event.bytes);
    this.#connection.run(insertEvent, id, ...values, queuedAt);
  }
}

const selectText = 'SELECT bytes FROM retry_event WHERE id = ?';
const selectHasRetry = 'SELECT 1 FROM retry WHERE destination = ? AND event = ?';
const selectRetry = `SELECT r.due_at, r.endpoints, e.* FROM retry r JOIN retry_event e ON e.id = r.event
  WHERE r.destination = ? AND r.event = ?`;
const insertEvent = `INSERT INTO retry_event (id, ${eventColumns}, queued_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
const insertRetry = `INSERT INTO retry (due_at, delay_ms, endpoints, code, message, event, destination)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const selectOldestRetry = `SELECT e.id, e.queued_at FROM retry r JOIN retry_event e ON e.id = r.event
  WHERE r.destination = ? ORDER BY r.event LIMIT 1`;
const updateRetry = `UPDATE retry SET due_at = ?, delay_ms = ?, endpoints = ?, code = ?, message = ?
  WHERE event = ? AND destination = ?`;
const deleteRetry = 'DELETE FROM retry WHERE event = ? AND destination = ?';
const deleteEvent =
  'DELETE FROM retry_event WHERE id = ? AND NOT EXISTS (SELECT 1 FROM retry WHERE event = ?)';
