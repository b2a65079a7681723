import type { Row } from '../../../storage/sqlite.js';
import type { StateFile } from '../../../storage/state-file.js';
import { type DamagedRows } from './damaged-rows.js';
import {
  bytesOf,
  eventOfPart,
  eventsOfBlock,
  partsOfBlock,
  type BlockEvent,
  type BlockPart,
} from '../event-block.js';
import { QueuedBlock } from './queued-block.js';
import { memoryOfText, type StoredEvent, unlessDamaged } from '../stored.js';
import type { Queued } from '../service-store.js';

/** The queues of destinations, as blocks of events that were not attempted. */
export class QueuedBlocks {
  readonly #connection: StateFile;
  readonly #damaged: DamagedRows;
  /** Those that the current transaction has changed and not written, by destination and last id. */
  readonly #changed = new Map<string, QueuedBlock>();
  /** The one that was used last, by destination: events end about in their order. */
  readonly #lastUsed = new Map<number, QueuedBlock>();

  constructor(connection: StateFile, damaged: DamagedRows) {
    this.#connection = connection;
    this.#damaged = damaged;
  }

  /**
   * Events after this one that wait for a destination, in the order of arrival: at most `limit`, and none after
   * those that take `maxBytes` of memory. Damaged blocks are skipped.
   */
  read(
    destination: number,
    afterId: number,
    limit: number,
    maxBytes: number,
    toStored: (event: BlockEvent) => StoredEvent,
  ): StoredEvent[] {
    const found: StoredEvent[] = [];
    let bytes = 0;
    for (let after = afterId; found.length < limit && bytes < maxBytes;) {
      const row = this.#connection.get(selectNext, destination, after);
      if (!row) break;
      after = Number(row.last_id);
      let size = 0;
      const events = unlessDamaged(() => {
        const wanted: BlockPart[] = [];
        for (const part of this.#waitingParts(new QueuedBlock(row))) {
          if (part.id <= afterId) continue;
          if (found.length + wanted.length === limit || bytes + size >= maxBytes) break;
          wanted.push(part);
          size += memoryOfText(part.length);
        }
        return this.#textsOf(after, wanted).map(toStored);
      });
      if (events) {
        found.push(...events);
        bytes += size;
      } else this.#damaged.add({ kind: 'block', destination, id: after });
    }
    return found;
  }

  /** The text of an event of a block. @throws Error if it is gone or damaged */
  text(id: number): Buffer {
    const row = this.#connection.get(selectBlockOf, id);
    const part = row && partsOfBlock(row, Number(row.size)).find((one) => one.id === id);
    if (!part) throw new Error('an event is not in its block');
    return this.#textsOf(Number(row.last_id), [part])[0]!.bytes;
  }

  /** Whether an event waits for a destination. */
  isWaiting(destination: number, event: number): boolean {
    const row = this.#connection.get(selectQueued, destination, event);
    const block = row && new QueuedBlock(row);
    return block?.has(event) === true && block.isWaiting(event);
  }

  /** The oldest block with events that wait for a destination. */
  oldest(destination: number): Queued | undefined {
    const row = this.#connection.get(selectOldest, destination);
    // Nothing else than a number, unless the block is damaged.
    if (typeof row?.queued_at !== 'number') return undefined;
    return { id: Number(row.last_id), queuedAt: row.queued_at };
  }

  /**
   * Events of a row of `event_block` with the queues in which they wait: none if it is damaged.
   */
  waitingIn(row: Row): { readonly event: BlockEvent; readonly queues: readonly QueuedBlock[] }[] {
    const id = Number(row.last_id);
    const queues = this.#connection.all(selectQueuesOf, id).map((queue) => new QueuedBlock(queue));
    if (queues.length === 0) return [];
    const events = unlessDamaged(() => eventsOfBlock(row));
    if (!events)
      for (const { destination } of queues) this.#damaged.add({ kind: 'block', destination, id });
    return (events ?? []).map((event) => ({
      event,
      queues: queues.filter((queue) => queue.has(event.id) && queue.isWaiting(event.id)),
    }));
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

  /** The parts of the events that wait. @throws Error if the block is damaged */
  #waitingParts(block: QueuedBlock): BlockPart[] {
    const row = this.#connection.get(selectEntries, block.last)!;
    const parts = partsOfBlock(row, Number(row.size));
    if (!block.isSound || parts[0]?.id !== block.first) throw new Error('a block is damaged');
    return parts.filter(({ id }) => block.isWaiting(id));
  }

  /** Reads only the bytes from the first to the last of these: mostly one event if its destination hangs. */
  #textsOf(lastId: number, parts: readonly BlockPart[]): BlockEvent[] {
    const [first] = parts;
    const last = parts.at(-1);
    if (!first || !last) return [];
    const length = last.start + last.length - first.start;
    const bytes = bytesOf(this.#connection.get(selectBytes, first.start + 1, length, lastId)!);
    return parts.map((part) => eventOfPart(part, bytes, first.start));
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

/** Of a queue and of its block one by one: where the file is damaged, a join finds neither. */
const selectNext =
  'SELECT * FROM queued_block WHERE destination = ? AND last_id > ? ORDER BY last_id LIMIT 1';
const selectEntries =
  'SELECT last_id, queued_at, entries, length(bytes) AS size FROM event_block WHERE last_id = ?';
const selectBlockOf = `SELECT last_id, queued_at, entries, length(bytes) AS size FROM event_block
  WHERE last_id >= ? ORDER BY last_id LIMIT 1`;
const selectBytes = 'SELECT substr(bytes, ?, ?) AS bytes FROM event_block WHERE last_id = ?';
const selectOldest = `SELECT b.last_id, b.queued_at FROM queued_block q JOIN event_block b ON b.last_id = q.last_id
  WHERE q.destination = ? ORDER BY q.last_id LIMIT 1`;
const selectQueued =
  'SELECT * FROM queued_block WHERE destination = ? AND last_id >= ? ORDER BY last_id LIMIT 1';
const selectQueuesOf = 'SELECT * FROM queued_block WHERE last_id = ? AND destination > 0';
const updateQueued =
  'UPDATE queued_block SET waiting_count = ?, waiting_bits = ? WHERE destination = ? AND last_id = ?';
const deleteQueued = 'DELETE FROM queued_block WHERE destination = ? AND last_id = ?';
const deleteBlock =
  'DELETE FROM event_block WHERE last_id = ? AND NOT EXISTS (SELECT 1 FROM queued_block WHERE last_id = ?)';
