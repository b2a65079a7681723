import type { StateFile } from '../../../storage/state-file.js';
import type { SetAside } from '../service-store.js';
import type { QueueLengths } from './queue-lengths.js';
import type { UserEvents } from './user-events.js';

/** What waits for a destination in one row: a block of events, or an event that waits for a retry or is parked. */
const kinds = {
  block: { table: 'queued_block', id: 'last_id', waiting: 'waiting_count', retrying: '0' },
  retry: { table: 'retry', id: 'event', waiting: '1', retrying: '1' },
  parked: { table: 'user_event', id: 'event', waiting: '1', retrying: '0' },
} as const;

interface DamagedRow {
  readonly kind: keyof typeof kinds;
  /** Number. */
  readonly destination: number;
  /** The last id of a block, or the id of an event. */
  readonly id: number;
}

/** Called when rows were set aside, with how many events wait in them. */
export type OnDamaged = (destination: number, events: number) => void;

/**
 * Rows of the queues that cannot be read. They are set aside, so that their destination goes on: they stay
 * in their tables, with the negative number of their destination, which no queue has.
 */
export class DamagedRows {
  /** Called when a row is to be set aside in the next transaction. */
  onFound: () => void = () => undefined;
  readonly #connection: StateFile;
  readonly #lengths: QueueLengths;
  readonly #users: UserEvents;
  readonly #onDamaged: OnDamaged;
  readonly #found = new Map<string, DamagedRow>();
  /** Events of the current transaction by destination. */
  readonly #setAside = new Map<number, number>();

  constructor(
    connection: StateFile,
    lengths: QueueLengths,
    users: UserEvents,
    onDamaged: OnDamaged,
  ) {
    this.#connection = connection;
    this.#lengths = lengths;
    this.#users = users;
    this.#onDamaged = onDamaged;
  }

  get setAside(): SetAside {
    const { blocks, events } = this.#connection.get(selectSetAside)!;
    return { blocks: Number(blocks), events: Number(events) };
  }

  /** A row cannot be read. */
  add(row: DamagedRow): void {
    const key = `${row.kind} ${row.destination} ${row.id}`;
    if (this.#found.has(key)) return;
    this.#found.set(key, row);
    this.onFound();
  }

  /** At the end of a transaction, when its changes of the queues are written. */
  write(): void {
    for (const row of this.#found.values()) this.#setOneAside(row);
  }

  committed(): void {
    this.#found.clear();
    for (const [destination, events] of this.#setAside) this.#onDamaged(destination, events);
    this.#setAside.clear();
  }

  rolledBack(): void {
    this.#setAside.clear();
  }

  #setOneAside({ kind, destination, id }: DamagedRow): void {
    const { table, id: column, waiting, retrying } = kinds[kind];
    const where = `WHERE destination = ? AND ${column} = ?`;
    // Summed as the lengths are, whatever the columns have.
    const select = `SELECT sum(${waiting}) AS waiting, sum(${retrying}) AS retrying FROM ${table} ${where}`;
    const row = this.#connection.get(select, destination, id)!;
    const update = `UPDATE ${table} SET destination = -destination ${where}`;
    const changed =
      kind === 'parked'
        ? this.#users.setAside(destination, id)
        : this.#connection.run(update, destination, id);
    // Its events may have ended meanwhile.
    if (changed === 0) return;
    // No later event of a user waits for one that cannot be read.
    if (kind === 'retry') this.#users.remove(destination, id);
    const events = Number(row.waiting);
    this.#lengths.add(destination, -events, -Number(row.retrying));
    this.#setAside.set(destination, (this.#setAside.get(destination) ?? 0) + events);
  }
}

const selectSetAside = `SELECT count(DISTINCT id) AS blocks, coalesce(sum(events), 0) AS events FROM (
    SELECT last_id AS id, waiting_count AS events FROM queued_block WHERE destination < 0
    UNION ALL
    SELECT event, 1 FROM retry WHERE destination < 0
    UNION ALL
    SELECT event, 1 FROM user_event WHERE destination < 0)`;
