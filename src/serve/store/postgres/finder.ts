import type { Row } from '../../../storage/sqlite.js';
import {
  beginningOf,
  deadLetterOf,
  queuedRecord,
  rejectedCallOf,
  retryRecord,
  withoutText,
  type DeadLetter,
  type RejectedCall,
  type StoredRecord,
} from '../records.js';
import type { Finder, Found, Search } from '../store-views.js';
import { unlessDamaged, type RetryEvent, type StoredEvent } from '../stored.js';
import { placeOf, unpackBatch, unpackBlock } from './codec.js';
import { storable, type StoreParts } from './context.js';
import { isWaiting } from './unit.js';

/** Rows that are read at once. */
const stepBlocks = 16;
const stepBatches = 16;
/** Of up to 1 MiB each. */
const stepRows = 16;

/** Searches a store that instances share: what is deflated is read, the newest first; the rest is found by the server. */
export class PostgresFinder implements Finder {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  notAttempted(search: Search<StoredRecord>): Promise<Found<StoredRecord>> {
    // From what waits: there may be far more blocks, which are kept.
    const sql = `SELECT b.id, b.queued_at, b.body, q.queues FROM (
        SELECT block,
          json_agg(json_build_object('destination', destination, 'bits', encode(waiting_bits, 'hex'))) AS queues
        FROM {schema}.queued_block WHERE block < $1 GROUP BY block ORDER BY block DESC LIMIT $2
      ) AS q JOIN {schema}.event_block b ON b.id = q.block ORDER BY b.id DESC`;
    return this.#search(search, {
      sql,
      step: stepBlocks,
      read: (row) => this.#deliveriesIn(row, search.text),
    });
  }

  /** Also those that are parked. */
  async retries(search: Search<StoredRecord>): Promise<Found<StoredRecord>> {
    const sql = `SELECT id, destination, body FROM {schema}.retry_batch
      WHERE id < $1 ORDER BY id DESC LIMIT $2`;
    const retries = await this.#search(search, {
      sql,
      step: stepBatches,
      read: (row) => this.#retriesIn(row, search.text, retryRecord),
    });
    const limit = search.limit - retries.items.length;
    const parked = await this.#search(
      { ...search, limit },
      {
        sql: `SELECT event AS id, destination, body FROM {schema}.user_event
        WHERE event < $1 AND body IS NOT NULL AND destination > 0 ORDER BY event DESC LIMIT $2`,
        step: stepRows,
        read: (row) => this.#retriesIn(row, search.text, queuedRecord),
      },
    );
    return {
      items: [...retries.items, ...parked.items],
      isComplete: retries.isComplete && parked.isComplete,
    };
  }

  deadLetters(search: Search<DeadLetter>): Promise<Found<DeadLetter>> {
    return this.#search(search, {
      ...this.#matching('dead_letter', search.text, `code || ' ' || message || ' ' || message_id`),
      read: (row) => [deadLetterOf(row, this.#nameOf)],
      found: withoutText,
    });
  }

  rejected(search: Search<RejectedCall>): Promise<Found<RejectedCall>> {
    return this.#search(search, {
      ...this.#matching('rejected', search.text, `code || ' ' || message`),
      read: (row) => [rejectedCallOf(row, this.#nameOf)],
      found: beginningOf,
    });
  }

  seenAt(source: string, messageId: string): Promise<number | undefined> {
    return this.#parts.seen.seenAt(this.#parts.names, source, messageId);
  }

  /** Rows that have the text in their columns, or in their bytes. */
  #matching(
    table: string,
    text: string,
    columns: string,
  ): Pick<RowSearch<never>, 'sql' | 'step' | 'values'> {
    const sql = `SELECT * FROM {schema}.${table} WHERE id < $1 AND (
        position(lower($3) in lower(${columns})) > 0 OR position(lower($4) in lower(${columns})) > 0
        OR position($5 in lower(encode(bytes, 'escape'))) > 0)
      ORDER BY id DESC LIMIT $2`;
    const inJson = JSON.stringify(text).slice(1, -1);
    const values = [storable(text), storable(inJson), escaped(Buffer.from(text)).toLowerCase()];
    return { sql, step: stepRows, values };
  }

  async #search<Item>(
    { isWanted, limit, mayContinue }: Search<Item>,
    { sql, step, values = [], read, found = (item) => item }: RowSearch<Item>,
  ): Promise<Found<Item>> {
    const { database, schema } = this.#parts.shared;
    const text = sql.replaceAll('{schema}', schema);
    const items: Item[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const rows = await database.query<Row>(text, [before, step, ...values]);
      for (const row of rows) {
        const all = unlessDamaged(() => read(row)) ?? [];
        const wanted = all.filter((item) => unlessDamaged(() => isWanted(item)) ?? false);
        items.push(...wanted.map(found));
      }
      if (items.length > limit) return { items: items.slice(0, limit), isComplete: false };
      if (rows.length < step) return { items, isComplete: true };
      if (!(await mayContinue())) return { items, isComplete: false };
      before = Number(rows.at(-1)!.id);
    }
  }

  #deliveriesIn(row: Row, text: string): StoredRecord[] {
    const id = Number(row.id);
    const queues = row.queues as unknown as { destination: number; bits: string | null }[];
    const block = { id, queuedAt: Number(row.queued_at), body: row.body as Uint8Array };
    const events = unpackBlock(block, (source) => this.#parts.names.name(source));
    return events
      .filter((event) => contains(event, text))
      .flatMap((event) =>
        queues
          .filter(({ bits }) => {
            const waiting = bits === null ? null : Buffer.from(bits, 'hex');
            return isWaiting(waiting, placeOf(event.id));
          })
          .map(({ destination }) => queuedRecord(this.#parts.names.name(destination), event)),
      )
      .reverse();
  }

  #retriesIn(
    row: Row,
    text: string,
    recordOf: (destination: string, retry: RetryEvent) => StoredRecord,
  ): StoredRecord[] {
    const destination = this.#nameOf(row.destination);
    return unpackBatch(row.body as Uint8Array)
      .filter((retry) => contains(retry, text))
      .map((retry) => recordOf(destination, retry))
      .reverse();
  }

  readonly #nameOf = (id: Row[string] | undefined): string => this.#parts.names.name(Number(id));
}

interface RowSearch<Item> {
  /** $1: ids below this one; $2: rows at most; then `values`. */
  readonly sql: string;
  readonly step: number;
  readonly values?: readonly unknown[];
  readonly read: (row: Row) => Item[];
  /** What is kept of one that is wanted; absent: all. */
  readonly found?: (item: Item) => Item;
}

function contains({ stamp, event }: StoredEvent, text: string): boolean {
  const wanted = text.toLowerCase();
  const has = (part: string): boolean => part.toLowerCase().includes(wanted);
  return has(stamp.messageId) || has(event.bytes.toString());
}

/** As `encode(bytes, 'escape')` of PostgreSQL. */
function escaped(bytes: Buffer): string {
  return [...bytes]
    .map((byte) => {
      if (byte === 0 || byte >= 128) return `\\${byte.toString(8).padStart(3, '0')}`;
      return byte === 92 ? '\\\\' : String.fromCharCode(byte);
    })
    .join('');
}
