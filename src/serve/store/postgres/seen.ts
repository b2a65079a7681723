import { chunksOf } from '../../../collections/chunks.js';
import type { Database } from '../../../store/postgres/database.js';
import type { Transaction } from '../../../store/postgres/queries.js';
import { assignTransactionId } from '../../../store/postgres/transaction.js';
import { bytesOfSeenKey, seenKey } from '../seen-key.js';
import type { Names } from './names.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** How long the rotation may wait, and others behind it. */
const rotateWithinMs = 50;
/**
 * Keys of one statement at most. While it is sent, a key takes about 20 times its 12 bytes, and one request may have 60,000
 * keys: 120 events for 500 destinations.
 */
export const keysAtOnce = 4_096;
/** Used in place of the number of a destination. */
const noDestination = 0;

/**
 * The destinations for which each event was queued within the last day. Two tables: the newer one gets what comes, both
 * are asked, and each day the older one is emptied and becomes the newer.
 *
 * An instance that does not know of a rotation yet writes to the older table, where its keys stay for a day too.
 */
export class Seen {
  readonly #database: Database;
  readonly #schema: string;
  #newer = 0;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
  }

  /** Notes keys (of `seenKey`) within a transaction. Returns those that were not there within a day. */
  async note(
    tx: Transaction,
    keys: ReadonlySet<string>,
    now: number,
  ): Promise<ReadonlySet<string>> {
    // In one order, so that two transactions do not wait for each other.
    const sorted = [...keys].sort();
    // `putBatches` reads deletion requests after our first statement, and needs the id of the transaction by then. Of
    // several parts, the first one may be all repeats, and write nothing.
    if (sorted.length > keysAtOnce) assignTransactionId(tx);
    // One table for all parts: `refresh` may change `#newer` between them.
    const newer = this.#newer;
    let fresh = 0;
    for (const part of chunksOf(sorted, keysAtOnce))
      fresh += await this.#insert(tx, newer, part, now);
    // Reading all keys again would cost as much as writing them, and there are hardly ever repeats.
    return fresh === keys.size ? keys : this.#notedHere(tx, newer, sorted);
  }

  /** Writes keys to the newer table, by its number. Returns how many were in neither table within a day. */
  async #insert(
    tx: Transaction,
    newer: number,
    keys: readonly string[],
    now: number,
  ): Promise<number> {
    const older = this.#table(1 - newer);
    const [counted] = await tx.query<{ fresh: number }>(
      `WITH noted AS (
         INSERT INTO ${this.#table(newer)} AS n (key, at)
         SELECT k, $2 FROM unnest($1::bytea[]) AS k
         WHERE NOT EXISTS (SELECT 1 FROM ${older} o WHERE o.key = k AND o.at > $3)
         ON CONFLICT (key) DO UPDATE SET at = EXCLUDED.at WHERE n.at <= $3
         RETURNING 1
       ) SELECT count(*)::int AS fresh FROM noted`,
      [keys.map(bytesOfSeenKey), minutesOf(now), minutesOf(now - dayMs)],
    );
    return counted!.fresh;
  }

  /** Those of the keys that this transaction has written. */
  async #notedHere(tx: Transaction, newer: number, keys: readonly string[]): Promise<Set<string>> {
    const noted = new Set<string>();
    for (const part of chunksOf(keys, keysAtOnce)) {
      const rows = await tx.query<{ key: Buffer }>(
        `SELECT key FROM ${this.#table(newer)} WHERE key = ANY($1) AND xmin = pg_current_xact_id()::xid`,
        [part.map(bytesOfSeenKey)],
      );
      for (const { key } of rows) noted.add(key.toString('latin1'));
    }
    return noted;
  }

  /** Within a transaction: events with these keys have failed, so they are no repeats when they come again. */
  forget(tx: Transaction, keys: readonly string[]): void {
    const sorted = [...new Set(keys)].sort().map(bytesOfSeenKey);
    for (const table of [0, 1]) {
      tx.send(`DELETE FROM ${this.#table(table)} WHERE key = ANY($1)`, [sorted]);
    }
  }

  /** When a source sent an event with this messageId within the last day, in milliseconds since 1970. */
  async seenAt(names: Names, source: string, messageId: string): Promise<number | undefined> {
    const number = names.find('source', source);
    if (number === 0) return undefined;
    const keys = [noDestination, ...names.ids('destination')].map((destination) =>
      bytesOfSeenKey(seenKey(number, destination, messageId)),
    );
    const [row] = await this.#database.query<{ at: number | null }>(
      `SELECT max(at) AS at FROM (SELECT at FROM ${this.#table(0)} WHERE key = ANY($1)
       UNION ALL SELECT at FROM ${this.#table(1)} WHERE key = ANY($1)) AS found WHERE at > $2`,
      [keys, minutesOf(this.#database.now() - dayMs)],
    );
    return typeof row?.at === 'number' ? row.at * minuteMs : undefined;
  }

  /** Reads which table is the newer one, and rotates them when it is a day old. */
  async refresh(): Promise<void> {
    const [row] = await this.#database.query<{ newer: number; since: number }>(
      `SELECT newer, since FROM ${this.#schema}.seen_rotation`,
    );
    this.#newer = row!.newer;
    const now = this.#database.now();
    if (now - row!.since >= dayMs) await this.#rotate(now);
  }

  /**
   * Not while somebody reads the older table for long, as a backup does: all others would wait behind us. It is tried
   * again with the next refresh.
   */
  async #rotate(now: number): Promise<void> {
    const rotation = `${this.#schema}.seen_rotation`;
    const next = 1 - this.#newer;
    await this.#database.query(`DO $$ BEGIN
      PERFORM set_config('lock_timeout', '${rotateWithinMs}ms', true);
      PERFORM FROM ${rotation} WHERE newer = ${this.#newer} AND since <= ${now - dayMs} FOR UPDATE SKIP LOCKED;
      IF NOT FOUND THEN RETURN; END IF;
      TRUNCATE ${this.#table(next)};
      UPDATE ${rotation} SET newer = ${next}, since = ${now};
    EXCEPTION WHEN lock_not_available THEN NULL; END $$`);
    const [row] = await this.#database.query<{ newer: number }>(`SELECT newer FROM ${rotation}`);
    this.#newer = row!.newer;
  }

  #table(number: number): string {
    return `${this.#schema}.seen_${number}`;
  }
}

function minutesOf(ms: number): number {
  return Math.floor(ms / minuteMs);
}

/** The key under which an event is known without a destination. */
export function keyWithoutDestination(source: number, messageId: string): string {
  return seenKey(source, noDestination, messageId);
}
