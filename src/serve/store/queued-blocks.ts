import type { StateFile } from '../../storage/state-file.js';
import { eventsOfBlock, type BlockEvent } from './event-block.js';
import { QueuedBlock } from './queued-block.js';

/** An event, or a block by its last event, and when it was queued. */
export interface Queued {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly queuedAt: number;
}

/** The queues of destinations, as blocks of events that were not attempted. */
export class QueuedBlocks {
  readonly #connection: StateFile;
  /** Those that the current transaction has changed and not written, by destination and last id. */
  readonly #changed = new Map<string, QueuedBlock>();
  /** The one that was used last, by destination: events end about in their order. */
  readonly #lastUsed = new Map<number, QueuedBlock>();

  constructor(connection: StateFile) {
    this.#connection = connection;
  }

  /** Events after this one that wait for a destination, in the order of arrival. */
  read(destination: number, afterId: number, limit: number): BlockEvent[] {
    const found: BlockEvent[] = [];
    for (let after = afterId; found.length < limit;) {
      const row = this.#connection.get(selectNext, destination, after);
      if (!row) break;
      const block = new QueuedBlock(row);
      for (const event of eventsOfBlock(row)) {
        if (event.id > afterId && block.isWaiting(event.id)) found.push(event);
      }
      after = block.last;
    }
    return found.slice(0, limit);
  }

  /** The oldest block with events that wait for a destination. */
  oldest(destination: number): Queued | undefined {
    const row = this.#connection.get(selectOldest, destination);
    return row && { id: Number(row.last_id), queuedAt: Number(row.queued_at) };
  }

  /** The queues in which events of the block with this last id wait. */
  queuesOf(lastId: number): QueuedBlock[] {
    return this.#connection.all(selectQueuesOf, lastId).map((row) => new QueuedBlock(row));
  }

  /** Within a transaction: removes an event from the queue of a destination. Returns whether it was there. */
  remove(destination: number, event: number): boolean {
    const block = this.#find(destination, event);
    if (!block?.remove(event)) return false;
    this.#changed.set(keyOf(block), block);
    return true;
  }

  /** Writes what the current transaction has removed, and deletes blocks without a waiting event. */
  write(): void {
    for (const block of this.#changed.values()) this.#save(block);
    this.#clear();
  }

  rolledBack(): void {
    this.#clear();
  }

  #clear(): void {
    this.#changed.clear();
    this.#lastUsed.clear();
  }

  #find(destination: number, event: number): QueuedBlock | undefined {
    const lastUsed = this.#lastUsed.get(destination);
    if (lastUsed?.has(event)) return lastUsed;
    const row = this.#connection.get(selectQueued, destination, event);
    const read = row && new QueuedBlock(row);
    if (!read?.has(event)) return undefined;
    // The row does not have the changes of this transaction yet.
    const block = this.#changed.get(keyOf(read)) ?? read;
    this.#lastUsed.set(destination, block);
    return block;
  }

  #save({ destination, last, waiting, bits }: QueuedBlock): void {
    if (waiting > 0) {
      this.#connection.run(updateQueued, waiting, bits, destination, last);
      return;
    }
    this.#connection.run(deleteQueued, destination, last);
    this.#connection.run(deleteBlock, last, last);
  }
}

function keyOf({ destination, last }: QueuedBlock): string {
  return `${destination} ${last}`;
}

const selectNext = `SELECT q.*, b.queued_at, b.entries, b.bytes
  FROM queued_block q JOIN event_block b ON b.last_id = q.last_id
  WHERE q.destination = ? AND q.last_id > ? ORDER BY q.last_id LIMIT 1`;
const selectOldest = `SELECT b.last_id, b.queued_at FROM queued_block q JOIN event_block b ON b.last_id = q.last_id
  WHERE q.destination = ? ORDER BY q.last_id LIMIT 1`;
const selectQueued =
  'SELECT * FROM queued_block WHERE destination = ? AND last_id >= ? ORDER BY last_id LIMIT 1';
const selectQueuesOf = 'SELECT * FROM queued_block WHERE last_id = ?';
const updateQueued =
  'UPDATE queued_block SET waiting_count = ?, waiting_bits = ? WHERE destination = ? AND last_id = ?';
const deleteQueued = 'DELETE FROM queued_block WHERE destination = ? AND last_id = ?';
const deleteBlock =
  'DELETE FROM event_block WHERE last_id = ? AND NOT EXISTS (SELECT 1 FROM queued_block WHERE last_id = ?)';
