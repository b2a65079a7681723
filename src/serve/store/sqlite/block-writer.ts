import { haveSameItems } from '../../../collections/same-items.js';
import type { StateFile } from '../../../storage/state-file.js';
import { blockOf, type NewEvent } from '../event-block.js';
import type { QueueLengths } from './queue-lengths.js';

/**
 * Larger blocks save little more, and a reader needs a whole block in memory. An event larger than
 * `maxBytes` has a block of its own.
 */
const maxEvents = 128;
const maxBytes = 64 * 1024;

/** Events of the current transaction that form the next block. */
interface OpenBlock {
  /** Numbers. */
  readonly destinations: readonly number[];
  /** Milliseconds since 1970. */
  readonly queuedAt: number;
  readonly events: NewEvent[];
  bytes: number;
}

/**
 * Writes the events that are queued in a transaction as blocks. The events of a block wait for the same
 * destinations: otherwise one that is down would keep the delivered events of the others on the disk.
 */
export class BlockWriter {
  readonly #connection: StateFile;
  readonly #lengths: QueueLengths;
  /** The last id that was given; those of a transaction that was rolled back are not used again. */
  #lastId: number;
  #open: OpenBlock | undefined;

  constructor(connection: StateFile, lengths: QueueLengths) {
    this.#connection = connection;
    this.#lengths = lengths;
    this.#lastId = Number(connection.get(selectLastId)?.seq ?? 0);
  }

  /** Within a transaction: adds an event for these destinations. Returns its id, and when it is queued. */
  add(
    event: NewEvent,
    destinations: readonly number[],
    now: number,
  ): { readonly id: number; readonly queuedAt: number } {
    const { length } = event.event.bytes;
    if (!this.#hasRoomFor(length, destinations)) this.write();
    this.#open ??= { destinations, queuedAt: now, events: [], bytes: 0 };
    this.#open.events.push(event);
    this.#open.bytes += length;
    return { id: ++this.#lastId, queuedAt: this.#open.queuedAt };
  }

  /** Writes the block that is being formed. */
  write(): void {
    if (!this.#open) return;
    const { destinations, queuedAt, events } = this.#open;
    const count = events.length;
    const { entries, bytes } = blockOf(events);
    this.#connection.run(insertBlock, this.#lastId, queuedAt, entries, bytes);
    for (const destination of destinations) {
      this.#connection.run(insertQueued, destination, this.#lastId, count, count);
      this.#lengths.add(destination, count, 0);
    }
    this.#open = undefined;
  }

  rolledBack(): void {
    this.#open = undefined;
  }

  #hasRoomFor(length: number, destinations: readonly number[]): boolean {
    if (!this.#open) return true;
    const { events, bytes } = this.#open;
    if (events.length >= maxEvents || bytes + length > maxBytes) return false;
    return haveSameItems(destinations, this.#open.destinations);
  }
}

const selectLastId = "SELECT seq FROM sqlite_sequence WHERE name = 'event_block'";
const insertBlock =
  'INSERT INTO event_block (last_id, queued_at, entries, bytes) VALUES (?, ?, ?, ?)';
const insertQueued =
  'INSERT INTO queued_block (destination, last_id, event_count, waiting_count) VALUES (?, ?, ?, ?)';
