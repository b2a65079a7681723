import type { StateFile } from '../../storage/state-file.js';
import { blockOf, type NewEvent } from './event-block.js';
import { bitsOf } from './queued-block.js';
import type { QueueLengths } from './queue-lengths.js';

/** Larger blocks save little more, and a reader needs a whole block in memory. */
const maxEvents = 128;
const maxBytes = 64 * 1024;

/** Events of the current transaction that form the next block. */
interface OpenBlock {
  /** Milliseconds since 1970. */
  readonly queuedAt: number;
  readonly events: NewEvent[];
  /** The positions of the events for each destination. */
  readonly positions: Map<number, number[]>;
  bytes: number;
}

/** Writes the events that are queued in a transaction as blocks. */
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
    if (!this.#hasRoomFor(length)) this.write();
    this.#open ??= { queuedAt: now, events: [], positions: new Map(), bytes: 0 };
    const block = this.#open;
    for (const destination of destinations) {
      const positions = block.positions.get(destination);
      if (positions) positions.push(block.events.length);
      else block.positions.set(destination, [block.events.length]);
    }
    block.events.push(event);
    block.bytes += length;
    return { id: ++this.#lastId, queuedAt: block.queuedAt };
  }

  /** Writes the block that is being formed. */
  write(): void {
    if (!this.#open) return;
    const { queuedAt, events, positions } = this.#open;
    const count = events.length;
    const { entries, bytes } = blockOf(events);
    this.#connection.run(insertBlock, this.#lastId, queuedAt, entries, bytes);
    for (const [destination, waiting] of positions) {
      const bits = waiting.length === count ? null : bitsOf(waiting, count);
      this.#connection.run(insertQueued, destination, this.#lastId, count, waiting.length, bits);
      this.#lengths.add(destination, waiting.length, 0);
    }
    this.#open = undefined;
  }

  rolledBack(): void {
    this.#open = undefined;
  }

  #hasRoomFor(length: number): boolean {
    if (!this.#open) return true;
    return this.#open.events.length < maxEvents && this.#open.bytes + length <= maxBytes;
  }
}

const selectLastId = "SELECT seq FROM sqlite_sequence WHERE name = 'event_block'";
const insertBlock = 'INSERT INTO event_block (last, queued_at, entries, bytes) VALUES (?, ?, ?, ?)';
const insertQueued =
  'INSERT INTO queued_block (destination, last, events, waiting, bits) VALUES (?, ?, ?, ?, ?)';
