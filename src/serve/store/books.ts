import type { Clock } from '../../clock.js';
import type { SqlValue } from '../../ledger/database.js';
import { Ages } from './ages.js';
import type { Connection } from './connection.js';
import { Counts } from './counts.js';
import { KeptCounts } from './kept-counts.js';
import { Parties } from './parties.js';
import { QueueLengths } from './queue-lengths.js';
import { SeenIds } from './seen-ids.js';
import { eventColumns } from './stored.js';

/** So many dead letters, refused calls and deletion requests are kept, the newest. */
export const maxKept = { letter: 100_000, rejected: 10_000, deletion: 10_000 };

type Kept = keyof typeof maxKept;

/** What the transactions of a store write to, and what it knows by heart. */
export class Books {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly parties: Parties;
  readonly counts: Counts;
  readonly lengths: QueueLengths;
  readonly seen: SeenIds;
  readonly ages: Ages;
  /** By destination, and by source. */
  readonly kept: Readonly<Record<Kept, KeptCounts>>;
  readonly #toPrune = new Set<Kept>();
  #lastEventId: number;
  readonly #most: typeof maxKept;

  constructor(connection: Connection, clock: Clock, most = maxKept) {
    this.#most = most;
    this.connection = connection;
    this.clock = clock;
    this.parties = new Parties(connection);
    this.counts = new Counts(connection, this.parties);
    this.lengths = new QueueLengths(connection);
    this.seen = new SeenIds({ connection, clock });
    this.ages = new Ages(connection, clock);
    this.kept = {
      letter: new KeptCounts(connection, 'letter', 'destination'),
      rejected: new KeptCounts(connection, 'rejected', 'source'),
      deletion: new KeptCounts(connection, 'deletion', 'source'),
    };
    this.#lastEventId = Number(connection.get('SELECT max(id) AS id FROM event')?.id ?? 0);
  }

  /** Within a transaction: adds an event that waits for these destinations. Returns its id. */
  insertEvent(values: readonly SqlValue[], destinations: readonly number[]): number {
    const id = ++this.#lastEventId;
    this.connection.run(insertEvent, id, ...values);
    for (const destination of destinations) {
      this.connection.run(insertDelivery, id, destination);
      this.lengths.add(destination, 1, 0);
    }
    return id;
  }

  /**
   * Within a transaction: an event waits no more for a destination, and goes with its last one.
   * Returns whether it did wait.
   */
  deleteDelivery(event: number, destination: number, wasRetrying: boolean): boolean {
    if (this.connection.run(deleteDelivery, event, destination) === 0) return false;
    this.connection.run(deleteEvent, event, event);
    this.lengths.add(destination, -1, wasRetrying ? -1 : 0);
    return true;
  }

  /** Whether a transaction, if only an empty one, is needed to know later how old events are. */
  get isMarkDue(): boolean {
    return this.ages.isDue(this.#lastEventId);
  }

  /** Within a transaction that has added one. */
  pruneLater(kind: Kept): void {
    this.#toPrune.add(kind);
  }

  /** At the end of a transaction. */
  write(): void {
    this.parties.write();
    this.counts.write();
    this.seen.write();
    this.ages.write(this.#lastEventId);
    for (const kind of this.#toPrune) this.#prune(kind);
  }

  committed(): void {
    for (const part of [this.parties, ...this.#parts]) part.committed();
    this.#toPrune.clear();
  }

  rolledBack(): void {
    for (const part of this.#parts) part.rolledBack();
  }

  get #parts() {
    const { counts, lengths, seen, ages, kept } = this;
    return [counts, lengths, seen, ages, kept.letter, kept.rejected, kept.deletion];
  }

  #prune(kind: Kept): void {
    const last = Number(this.connection.get(`SELECT max(id) AS id FROM ${kind}`)?.id ?? 0);
    const upTo = last - this.#most[kind];
    this.#countPruned(kind, upTo);
    this.connection.run(`DELETE FROM ${kind} WHERE id <= ?`, upTo);
  }

  #countPruned(kind: Kept, upTo: number): void {
    const sql = `SELECT ${partyOf[kind]} AS party, count(*) AS n FROM ${kind} WHERE id <= ? GROUP BY 1`;
    for (const { party, n } of this.connection.all(sql, upTo)) {
      this.kept[kind].add(Number(party), -Number(n));
    }
  }
}

const partyOf = { letter: 'destination', rejected: 'source', deletion: 'source' } as const;
const insertEvent = `INSERT INTO event (id, ${eventColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)`;
const insertDelivery = 'INSERT INTO delivery (event, destination) VALUES (?, ?)';
const deleteDelivery = 'DELETE FROM delivery WHERE event = ? AND destination = ?';
const deleteEvent =
  'DELETE FROM event WHERE id = ? AND NOT EXISTS (SELECT 1 FROM delivery WHERE event = ?)';
