import type { Row } from '../../storage/sqlite.js';
import type { StateFile } from '../../storage/state-file.js';
import { eventsOfBlock, type BlockEvent } from './event-block.js';
import { QueuedBlock } from './queued-block.js';

/** The queues of destinations, as blocks of events that were not attempted. */
export class QueuedBlocks {
  readonly #connection: StateFile;
  /** Those of events that ended in the current transaction, by destination and last id. */
  readonly #loaded = new Map<string, QueuedBlock>();
  /** The one of these that was used last, by destination: events end about in their order. */
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

  /** When the oldest event of the queue of a destination was queued; milliseconds since 1970. */
  since(destination: number): number | undefined {
    const row = this.#connection.get(selectSince, destination);
    return row && Number(row.queued_at);
  }

  /** The destinations for which an event of a block waits. */
  destinationsOf(event: number): number[] {
    return this.#connection
      .all(selectQueuesOf, event)
      .map((row) => new QueuedBlock(row))
      .filter((block) => block.has(event) && block.isWaiting(event))
      .map(({ destination }) => destination);
  }

  /** Within a transaction: removes an event from the queue of a destination. Returns whether it was there. */
  end(destination: number, event: number): boolean {
    return this.#find(destination, event)?.end(event) ?? false;
  }

  /** Writes the ends of the current transaction, and deletes blocks without a waiting event. */
  write(): void {
    for (const block of this.#loaded.values()) this.#save(block);
    this.rolledBack();
  }

  rolledBack(): void {
    this.#loaded.clear();
    this.#lastUsed.clear();
  }

  #find(destination: number, event: number): QueuedBlock | undefined {
    const lastUsed = this.#lastUsed.get(destination);
    if (lastUsed?.has(event)) return lastUsed;
    const row = this.#connection.get(selectQueued, destination, event);
    const block = row && this.#loadedOf(row);
    if (!block?.has(event)) return undefined;
    this.#lastUsed.set(destination, block);
    return block;
  }

  /** The row may be older than what is loaded. */
  #loadedOf(row: Row): QueuedBlock {
    const key = `${Number(row.destination)} ${Number(row.last)}`;
    let block = this.#loaded.get(key);
    if (!block) this.#loaded.set(key, (block = new QueuedBlock(row)));
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

const selectNext = `SELECT q.*, b.queued_at, b.entries, b.bytes
  FROM queued_block q JOIN event_block b ON b.last = q.last
  WHERE q.destination = ? AND q.last > ? ORDER BY q.last LIMIT 1`;
const selectSince = `SELECT b.queued_at FROM queued_block q JOIN event_block b ON b.last = q.last
  WHERE q.destination = ? ORDER BY q.last LIMIT 1`;
const selectQueued =
  'SELECT * FROM queued_block WHERE destination = ? AND last >= ? ORDER BY last LIMIT 1';
const selectQueuesOf = `SELECT * FROM queued_block
  WHERE last = (SELECT min(last) FROM event_block WHERE last >= ?)`;
const updateQueued =
  'UPDATE queued_block SET waiting = ?, bits = ? WHERE destination = ? AND last = ?';
const deleteQueued = 'DELETE FROM queued_block WHERE destination = ? AND last = ?';
const deleteBlock =
  'DELETE FROM event_block WHERE last = ? AND NOT EXISTS (SELECT 1 FROM queued_block WHERE last = ?)';
