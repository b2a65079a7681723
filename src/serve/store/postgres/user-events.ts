import type { Queries, Transaction } from '../../../store/postgres/queries.js';
import { userKeyBytes } from '../../user-key.js';
import { unlessDamaged, type RetryEvent, type StoredEvent } from '../stored.js';
import { maxBlockEvents, placeOf, packBatch, unpackBatch } from './codec.js';
import type { StoreParts } from './context.js';
import { isWaiting } from './unit.js';

/** An event to be parked. */
export interface Parked {
  readonly event: StoredEvent;
  readonly user: string;
  readonly behind: number;
}

/** An event of an ordered destination that waits for a retry. */
export interface UserRetry {
  readonly event: Pick<RetryEvent, 'id' | 'queuedAt'>;
  readonly user: string;
  readonly batch: number;
}

interface NextRow {
  readonly user: string;
  readonly event: number;
  readonly body: Buffer | null;
  readonly behind: number;
  readonly block: number | null;
  readonly waiting_bits: Buffer | null;
}

/** The rows of `user_event` of a destination, by its number. */
export class UserEvents {
  readonly #parts: StoreParts;
  readonly #destination: number;
  readonly #table: string;

  constructor(parts: StoreParts, destination: number) {
    this.#parts = parts;
    this.#destination = destination;
    this.#table = `${parts.shared.schema}.user_event`;
  }

  /** Within a transaction. */
  park(tx: Transaction, parked: readonly Parked[]): void {
    if (parked.length === 0) return;
    tx.send(
      `INSERT INTO ${this.#table} (destination, user_key, event, queued_at, behind, body)
       SELECT $1, * FROM unnest($2::bytea[], $3::bigint[], $4::float8[], $5::bigint[], $6::bytea[])
       ON CONFLICT DO NOTHING`,
      [
        this.#destination,
        parked.map(({ user }) => userKeyBytes(user)),
        parked.map(({ event }) => event.id),
        parked.map(({ event }) => event.queuedAt),
        parked.map(({ behind }) => behind),
        parked.map(({ event }) => bodyOf(event)),
      ],
    );
  }

  /** Within a transaction: events wait for retries, parked before or not. */
  addRetries(tx: Transaction, retries: readonly UserRetry[]): void {
    if (retries.length === 0) return;
    tx.send(
      `INSERT INTO ${this.#table} AS u (destination, user_key, event, queued_at, behind, batch)
       SELECT $1, user_key, event, queued_at, 0, batch
       FROM unnest($2::bytea[], $3::bigint[], $4::float8[], $5::bigint[]) AS r (user_key, event, queued_at, batch)
       ON CONFLICT (destination, user_key, event) DO UPDATE SET batch = EXCLUDED.batch, body = NULL`,
      [
        this.#destination,
        retries.map(({ user }) => userKeyBytes(user)),
        retries.map(({ event }) => event.id),
        retries.map(({ event }) => event.queuedAt),
        retries.map(({ batch }) => batch),
      ],
    );
  }

  /** Within a transaction: these have ended, and no event waits for them. */
  remove(tx: Transaction, ids: readonly number[]): void {
    if (ids.length === 0) return;
    tx.send(`DELETE FROM ${this.#table} WHERE destination = $1 AND event = ANY($2)`, [
      this.#destination,
      ids,
    ]);
  }

  /** Within a transaction: takes the bodies of these. Returns the ids of those that were parked. */
  async unpark(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const rows = await tx.query<{ event: number }>(
      `UPDATE ${this.#table} SET body = NULL
       WHERE destination = $1 AND event = ANY($2) AND body IS NOT NULL RETURNING event`,
      [this.#destination, ids],
    );
    return new Set(rows.map(({ event }) => event));
  }

  /** The id of the first event of each user. */
  async heads(users: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#query<{ user: string; event: number }>(
      `SELECT encode(k, 'hex') AS user, e.event FROM unnest($2::bytea[]) AS k CROSS JOIN LATERAL (
         SELECT event FROM ${this.#table} WHERE destination = $1 AND user_key = k ORDER BY event LIMIT 1) AS e`,
      [users.map(userKeyBytes)],
    );
    return new Map(rows.map(({ user, event }) => [user, event]));
  }

  /** The first event of each user, where it is parked and the one before it is not in its block anymore. */
  async next(users: readonly string[]): Promise<Map<string, StoredEvent>> {
    const { schema } = this.#parts.shared;
    const rows = await this.#query<NextRow>(
      `SELECT encode(k, 'hex') AS user, e.event, e.body, e.behind, q.block, q.waiting_bits
       FROM unnest($2::bytea[]) AS k CROSS JOIN LATERAL (
         SELECT event, body, behind FROM ${this.#table}
         WHERE destination = $1 AND user_key = k ORDER BY event LIMIT 1) AS e
       LEFT JOIN ${schema}.queued_block q ON q.destination = $1 AND q.block = e.behind / ${maxBlockEvents}
         AND e.behind > 0`,
      [users.map(userKeyBytes)],
    );
    const events = new Map<string, StoredEvent>();
    const damaged: number[] = [];
    for (const { user, event: id, body, behind, block, waiting_bits } of rows) {
      if (!body || (block !== null && isWaiting(waiting_bits, placeOf(behind)))) continue;
      const event = unlessDamaged(() => parkedEvent(body));
      if (event) events.set(user, event);
      else damaged.push(id);
    }
    if (damaged.length > 0) await this.#setAside(damaged);
    return events;
  }

  async usersAfter(user: string, limit: number): Promise<string[]> {
    // From one user to the next: each may have any number of events.
    const next = `SELECT user_key FROM ${this.#table} WHERE destination = $1 AND user_key >`;
    const rows = await this.#query<{ user: string }>(
      `WITH RECURSIVE found AS (
         (${next} $2 ORDER BY user_key LIMIT 1)
         UNION ALL
         SELECT (${next} found.user_key ORDER BY user_key LIMIT 1) FROM found WHERE found.user_key IS NOT NULL
       ) SELECT encode(user_key, 'hex') AS user FROM found WHERE user_key IS NOT NULL LIMIT $3`,
      [userKeyBytes(user), limit],
    );
    return rows.map((row) => row.user);
  }

  /** The oldest parked events that were queued by then. */
  async parkedBy(time: number, limit: number): Promise<StoredEvent[]> {
    const rows = await this.#query<{ body: Buffer }>(
      `SELECT body FROM ${this.#table} WHERE destination = $1 AND queued_at <= $2 AND body IS NOT NULL
       ORDER BY event LIMIT $3`,
      [time, limit],
    );
    return rows.flatMap(({ body }) => unlessDamaged(() => parkedEvent(body)) ?? []);
  }

  /** Within a transaction: lets parked events go, in any order. Returns them; then nothing is known of retries, either. */
  async takeAll(tx: Transaction, limit: number): Promise<StoredEvent[]> {
    const rows = await tx.query<{ body: Buffer | null }>(
      `DELETE FROM ${this.#table} WHERE destination = $1 AND event IN (
         SELECT event FROM ${this.#table} WHERE destination = $1 ORDER BY event LIMIT $2) RETURNING body`,
      [this.#destination, limit],
    );
    return rows
      .flatMap(({ body }) => (body && unlessDamaged(() => parkedEvent(body))) ?? [])
      .sort((one, other) => one.id - other.id);
  }

  /** With the negative number of their destination, which no lane has. */
  async #setAside(ids: readonly number[]): Promise<void> {
    await this.#query(
      `UPDATE ${this.#table} SET destination = -destination WHERE destination = $1 AND event = ANY($2)`,
      [ids],
    );
  }

  #query<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return (this.#parts.shared.database as Queries).query<Row>(text, [
      this.#destination,
      ...values,
    ]);
  }
}

function bodyOf(event: StoredEvent): Buffer {
  return packBatch([{ ...event, dueAt: 0, endpointDeliveries: [], code: '', message: '' }]);
}

/** The event of a row. @throws Error if it is damaged */
export function parkedEvent(body: Buffer): StoredEvent {
  const { id, source, receivedAt, queuedAt, event, stamp } = unpackBatch(body)[0]!;
  return { id, source, receivedAt, queuedAt, event, stamp };
}
