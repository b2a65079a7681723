import { seenKey } from '../seen-key.js';
import type { EventRecord } from '../../event-record.js';
import {
  deadLetterOf,
  deletionRequestOf,
  rejectedCallOf,
  type DeadLetter,
  type DeletionRequest,
  type RejectedCall,
} from '../records.js';
import type { ListedRetry, Page, Totals, Views } from '../store-views.js';
import { unlessDamaged, type RetryEvent } from '../stored.js';
import type { Row } from '../../../storage/sqlite.js';
import type { UserQueue } from '../user-order.js';
import { unpackBatch, type BatchedRetry } from './codec.js';
import { parkedEvent } from './user-events.js';
import type { StoreParts } from './context.js';
import type { StoreStatistics } from './statistics.js';

/** A user with events that wait: how many, and the first one. */
interface QueueRow {
  readonly n: number;
  readonly event: number;
  /** Where it is parked, else that of its batch. */
  readonly body: Buffer | null;
  readonly batch: Buffer | null;
}

/** Of the newest rejected calls, for the streams of pages. */
const maxStreamed = 500;

/** The lists of a store that instances share. */
export class PostgresViews implements Views {
  readonly #parts: StoreParts;
  readonly #statistics: StoreStatistics;
  #rejected: RejectedCall[] = [];

  constructor(parts: StoreParts, statistics: StoreStatistics) {
    this.#parts = parts;
    this.#statistics = statistics;
  }

  async deadLetters(page: Page): Promise<DeadLetter[]> {
    const rows = await this.#page('dead_letter', 'destination', page);
    return rows.map((row) => deadLetterOf(row, this.#nameOf));
  }

  async deadLetter(key: string): Promise<DeadLetter | undefined> {
    const { database, schema } = this.#parts.shared;
    const [row] = await database.query<Row>(
      `SELECT * FROM ${schema}.dead_letter WHERE seen_key = $1 ORDER BY id DESC LIMIT 1`,
      [Buffer.from(key, 'hex')],
    );
    return row && deadLetterOf(row, this.#nameOf);
  }

  async deadLetterIds(destination: string, afterId: number, limit: number): Promise<number[]> {
    const { database, schema } = this.#parts.shared;
    const rows = await database.query<{ id: number }>(
      `SELECT id FROM ${schema}.dead_letter WHERE destination = $1 AND id > $2 ORDER BY id LIMIT $3`,
      [this.#parts.names.find('destination', destination), afterId, limit],
    );
    return rows.map(({ id }) => id);
  }

  async rejected(page: Page): Promise<RejectedCall[]> {
    const rows = await this.#page('rejected', 'source', page);
    return rows.map((row) => rejectedCallOf(row, this.#nameOf));
  }

  /** Of those that were read by `refreshRejected`. */
  rejectedAfter(id: number, limit: number): RejectedCall[] {
    return this.#rejected.filter((call) => call.id > id).slice(0, limit);
  }

  /** Reads the rejected calls that have come since. */
  async refreshRejected(): Promise<void> {
    const { database, schema } = this.#parts.shared;
    const after = this.#rejected.at(-1)?.id ?? 0;
    const rows = await database.query<Row>(
      `SELECT * FROM ${schema}.rejected WHERE id > $1 ORDER BY id DESC LIMIT $2`,
      [after, maxStreamed],
    );
    const calls = rows.reverse().map((row) => rejectedCallOf(row, this.#nameOf));
    this.#rejected = [...this.#rejected, ...calls].slice(-maxStreamed);
  }

  async deletions(page: Page): Promise<DeletionRequest[]> {
    const rows = await this.#page('deletion', 'source', page);
    return rows.map((row) => deletionRequestOf(row, this.#nameOf));
  }

  async retries(destination: string, limit: number): Promise<ListedRetry[]> {
    const { database, schema } = this.#parts.shared;
    // The batches that are due first, with at least `limit` retries in all.
    const rows = await database.query<{ id: number; body: Buffer }>(
      `SELECT id, body FROM (
         SELECT id, body, due_at, sum(size) OVER (ORDER BY due_at, id) - size AS before
         FROM ${schema}.retry_batch WHERE destination = $1
       ) AS batch WHERE before < $2 ORDER BY due_at, id LIMIT $2`,
      [this.#parts.names.find('destination', destination), limit],
    );
    return rows
      .flatMap(({ id: batch, body }) =>
        readable(body).map(({ id, dueAt }) => ({ id, dueAt, batch })),
      )
      .sort((one, other) => one.dueAt - other.dueAt)
      .slice(0, limit);
  }

  async retry(_destination: string, { id, batch }: ListedRetry): Promise<RetryEvent | undefined> {
    const { database, schema } = this.#parts.shared;
    const [row] = await database.query<{ body: Buffer }>(
      `SELECT body FROM ${schema}.retry_batch WHERE id = $1`,
      [batch],
    );
    return row && readable(row.body).find((retry) => retry.id === id);
  }

  async userQueues(destination: string, limit: number): Promise<UserQueue[]> {
    const { database, schema } = this.#parts.shared;
    const rows = await database.query<QueueRow>(
      `SELECT l.n, e.event, e.body, b.body AS batch FROM (
         SELECT user_key, count(*)::int AS n FROM ${schema}.user_event WHERE destination = $1
         GROUP BY user_key HAVING count(*) > 1 ORDER BY n DESC LIMIT $2
       ) AS l CROSS JOIN LATERAL (
         SELECT event, body, batch FROM ${schema}.user_event
         WHERE destination = $1 AND user_key = l.user_key ORDER BY event LIMIT 1
       ) AS e LEFT JOIN ${schema}.retry_batch b ON b.id = e.batch ORDER BY l.n DESC`,
      [this.#parts.names.find('destination', destination), limit],
    );
    return rows.map(({ n, event: id, body, batch }) => {
      const waiting = n - 1;
      if (body) return { first: unlessDamaged(() => parkedEvent(body)), waiting };
      const first = batch && readable(batch).find((retry) => retry.id === id);
      if (!first) return { first: undefined, waiting };
      const { code, message } = first;
      return { first, waiting, failure: { code, message } };
    });
  }

  readonly totals: Totals = {
    ofSource: (name) => {
      const source = this.#parts.names.find('source', name);
      return {
        received: this.#statistics.count('received', { source }),
        rejected: this.#statistics.countsBeginning('rejected:', source),
      };
    },
    ofDestination: (name) => {
      const destination = this.#parts.names.find('destination', name);
      return {
        delivered: this.#statistics.count('delivered', { destination }),
        failed: this.#statistics.count('failed', { destination }),
      };
    },
  };

  keyOf({ key, source, destination, messageId }: EventRecord): string {
    if (key !== undefined) return key;
    const { names } = this.#parts;
    const number = destination === null ? 0 : names.find('destination', destination);
    return Buffer.from(seenKey(names.find('source', source), number, messageId), 'latin1').toString(
      'hex',
    );
  }

  deadLetterCount(destination?: string): number {
    return this.#statistics.kept('dead_letter', this.#find('destination', destination));
  }

  withDeadLetters(): string[] {
    return this.#statistics.withKept('dead_letter').map((id) => this.#parts.names.name(id));
  }

  get hasReceived(): boolean {
    return this.#statistics.hasCounts;
  }

  repeatedCount(source: string): number {
    return this.#statistics.count('repeated', { source: this.#parts.names.find('source', source) });
  }

  droppedCount(destination?: string): number {
    const of = this.#find('destination', destination);
    return this.#statistics.count('dropped', of === undefined ? {} : { destination: of });
  }

  rejectedCount(source?: string): number {
    return this.#statistics.kept('rejected', this.#find('source', source));
  }

  deletionCount(source?: string): number {
    return this.#statistics.kept('deletion', this.#find('source', source));
  }

  #page(
    table: string,
    filter: 'destination' | 'source',
    { of, before, limit }: Page,
  ): Promise<Row[]> {
    const { database, schema } = this.#parts.shared;
    const values: unknown[] = [before ?? Number.MAX_SAFE_INTEGER, limit];
    if (of !== undefined) values.push(this.#parts.names.find(filter, of));
    const where = of === undefined ? '' : `AND ${filter} = $3`;
    return database.query<Row>(
      `SELECT * FROM ${schema}.${table} WHERE id < $1 ${where} ORDER BY id DESC LIMIT $2`,
      values,
    );
  }

  #find(kind: 'destination' | 'source', name: string | undefined): number | undefined {
    return name === undefined ? undefined : this.#parts.names.find(kind, name);
  }

  readonly #nameOf = (id: Row[string] | undefined): string => this.#parts.names.name(Number(id));
}

/** None of a batch that is damaged: the queue reports it. */
function readable(body: Buffer): BatchedRetry[] {
  return unlessDamaged(() => unpackBatch(body)) ?? [];
}
