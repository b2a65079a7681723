import type { Clock } from '../../../clock.js';
import type { StateFile } from '../../../storage/state-file.js';
import type { NameTable } from './name-table.js';
import type { RowCounts } from './row-counts.js';
import type { SeenEvents } from './seen-events.js';
import { SeenFilter } from './seen-filter.js';
import { seenKey } from '../seen-key.js';
import { eventColumns, eventValues, type StoredEvent } from '../stored.js';
import type { Failure } from '../service-store.js';

export interface DeadLettersOptions {
  readonly connection: StateFile;
  readonly clock: Clock;
  readonly nameTable: NameTable;
  readonly seen: SeenEvents;
  /** By destination. */
  readonly kept: RowCounts;
}

/** The events that were given up. An event has at most one at a destination, the newest. */
export class DeadLetters {
  readonly #options: DeadLettersOptions;
  readonly #filter: SeenFilter;

  constructor(options: DeadLettersOptions) {
    this.#options = options;
    this.#filter = new SeenFilter((firstByte) => keysWith(options.connection, firstByte));
  }

  /** Within a transaction: keeps an event that failed at a destination; sent again, it is no repeat there. */
  keep(destination: number, stored: StoredEvent, failure: Failure): void {
    const { connection, clock, nameTable, seen, kept } = this.#options;
    const { receivedAt, queuedAt, event, stamp } = stored;
    const { code, message, attempts, lastStatus, response } = failure;
    const source = nameTable.id('source', stored.source);
    const { messageId } = stamp;
    const key = seenKey(source, destination, messageId);
    this.#delete(destination, key);
    seen.forget(key, { source, messageId, queuedAt });
    const said = response ? JSON.stringify(response) : null;
    const why = [destination, clock.now(), code, message, attempts, lastStatus, said];
    const values = eventValues(source, receivedAt, stamp, event.bytes);
    connection.run(insertDeadLetter, Buffer.from(key, 'latin1'), ...why, ...values);
    this.#filter.add(key);
    kept.add(destination, 1);
  }

  /** Within a transaction: deletes the dead letter of an event that was sent again. */
  drop(destination: number, { source, stamp }: StoredEvent): void {
    const { nameTable, kept } = this.#options;
    // Its failure was committed before it was sent again.
    if (kept.of(destination) === 0) return;
    this.#delete(
      destination,
      seenKey(nameTable.id('source', source), destination, stamp.messageId),
    );
  }

  /** Whether an event has one at a destination, both by their numbers. */
  has(destination: number, source: number, messageId: string): boolean {
    const { connection, kept } = this.#options;
    if (kept.of(destination) === 0) return false;
    const key = seenKey(source, destination, messageId);
    return connection.get(selectDeadLetter, Buffer.from(key, 'latin1')) !== undefined;
  }

  /** At the end of a transaction. */
  write(): void {
    this.#filter.buildRequested();
  }

  #delete(destination: number, key: string): void {
    const { connection, kept } = this.#options;
    if (!this.#filter.mayHave(key)) return;
    const deleted = connection.run(deleteDeadLetters, Buffer.from(key, 'latin1'));
    if (deleted > 0) kept.add(destination, -deleted);
  }
}

/** Keys of dead letters that begin with this byte, without it. */
function keysWith(connection: StateFile, firstByte: number): string[] {
  const from = Buffer.from([firstByte]);
  const to = firstByte < 255 ? Buffer.from([firstByte + 1]) : Buffer.alloc(13, 0xff);
  return connection
    .all('SELECT seen_key FROM dead_letter WHERE seen_key >= ? AND seen_key < ?', from, to)
    .map((row) => Buffer.from(row.seen_key as Uint8Array).toString('latin1', 1));
}

const insertDeadLetter = `INSERT INTO dead_letter
  (seen_key, destination, failed_at, code, message, attempts, last_status, response, ${eventColumns})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const selectDeadLetter = 'SELECT 1 FROM dead_letter WHERE seen_key = ?';
const deleteDeadLetters = 'DELETE FROM dead_letter WHERE seen_key = ?';
