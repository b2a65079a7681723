import type { Row } from '../../../storage/sqlite.js';
import type { EventRecord } from '../../event-record.js';
import { seenKey } from '../seen-key.js';
import type { StoreContext } from './store-context.js';
import {
  deadLetterOf,
  deletionRequestOf,
  rejectedCallOf,
  type DeadLetter,
  type DeletionRequest,
  type RejectedCall,
} from '../records.js';
import type { ListedRetry, Page, Views } from '../store-views.js';
import type { RetryEvent } from '../stored.js';
import type { UserQueue } from '../user-order.js';
import type { StoredRetries } from './due-retries.js';

/** Lists for operators; forwarding does not need them. */
export class SqliteViews implements Views {
  readonly #context: StoreContext;
  readonly #ofRetries: StoredRetries;

  /** `ofRetries` are those of the store. */
  constructor(context: StoreContext, ofRetries: StoredRetries) {
    this.#context = context;
    this.#ofRetries = ofRetries;
  }

  deadLetters(page: Page): DeadLetter[] {
    return this.#page('dead_letter', 'destination', page).map((row) =>
      deadLetterOf(row, this.#nameOf),
    );
  }

  /** Identifies an event at a destination: the same in all lists, and after a restart. */
  keyOf({ key, source, destination, messageId }: EventRecord): string {
    if (key !== undefined) return key;
    const { nameTable } = this.#context;
    const number = destination === null ? 0 : nameTable.id('destination', destination);
    const seen = seenKey(nameTable.id('source', source), number, messageId);
    return Buffer.from(seen, 'latin1').toString('hex');
  }

  /** The dead letter of an event at a destination, by its `keyOf`. */
  deadLetter(key: string): DeadLetter | undefined {
    const sql = 'SELECT * FROM dead_letter WHERE seen_key = ?';
    const row = this.#context.connection.get(sql, Buffer.from(key, 'hex'));
    return row && deadLetterOf(row, this.#nameOf);
  }

  rejected(page: Page): RejectedCall[] {
    return this.#page('rejected', 'source', page).map((row) => rejectedCallOf(row, this.#nameOf));
  }

  /** How many dead letters are kept, of one destination or of all. */
  deadLetterCount(destination?: string): number {
    const { kept, nameTable } = this.#context;
    return kept.deadLetter.of(
      destination === undefined ? undefined : nameTable.find('destination', destination),
    );
  }

  /** Names of all destinations that have dead letters, still configured or not. */
  withDeadLetters(): string[] {
    return this.#context.kept.deadLetter.names.map((id) => this.#nameOf(id));
  }

  /** Whether anything was ever received. */
  get hasReceived(): boolean {
    return !this.#context.counts.isEmpty;
  }

  /** How many events of a source were skipped as repeated, ever. */
  repeatedCount(source: string): number {
    const { counts, nameTable } = this.#context;
    return counts.ofSource(nameTable.find('source', source), 'repeated');
  }

  /** How many dead letters of one destination, or of all, were dropped for newer ones, ever. */
  droppedCount(destination?: string): number {
    const { counts, nameTable } = this.#context;
    if (destination === undefined) return counts.sum('dropped');
    return counts.sum('dropped', nameTable.find('destination', destination));
  }

  /** How many rejected calls are kept, of one source or of all. */
  rejectedCount(source?: string): number {
    const { kept, nameTable } = this.#context;
    return kept.rejected.of(source === undefined ? undefined : nameTable.find('source', source));
  }

  /** How many deletion requests are kept, of one source or of all. */
  deletionCount(source?: string): number {
    const { kept, nameTable } = this.#context;
    return kept.deletion.of(source === undefined ? undefined : nameTable.find('source', source));
  }

  /** Those of the newest rejected calls that are after this one, the oldest first. */
  rejectedAfter(id: number, limit: number, newest: number): RejectedCall[] {
    const sql = `SELECT * FROM rejected
      WHERE id > max(?, (SELECT max(id) FROM rejected) - ?) ORDER BY id LIMIT ?`;
    const rows = this.#context.connection.all(sql, id, newest, limit);
    return rows.map((row) => rejectedCallOf(row, this.#nameOf));
  }

  deletions(page: Page): DeletionRequest[] {
    return this.#page('deletion', 'source', page).map((row) =>
      deletionRequestOf(row, this.#nameOf),
    );
  }

  /** Ids of the dead letters of a destination after this one, the oldest first. */
  deadLetterIds(destination: string, afterId: number, limit: number): number[] {
    const sql = 'SELECT id FROM dead_letter WHERE destination = ? AND id > ? ORDER BY id LIMIT ?';
    const { connection, nameTable } = this.#context;
    const rows = connection.all(sql, nameTable.find('destination', destination), afterId, limit);
    return rows.map(({ id }) => Number(id));
  }

  retries(destination: string, limit: number): ListedRetry[] {
    return this.#ofRetries.retries(destination, limit);
  }

  retry(destination: string, { id }: ListedRetry): RetryEvent | undefined {
    return this.#ofRetries.retry(destination, id);
  }

  userQueues(destination: string, limit: number): UserQueue[] {
    const { connection, nameTable, queue } = this.#context;
    const number = nameTable.find('destination', destination);
    return queue.users.longest(number, limit).map(({ id, isParked, count }) => {
      const waiting = count - 1;
      if (isParked) return { first: queue.parked(number, id), waiting };
      const row = connection.get(selectFailure, number, id);
      const failure = row && { code: row.code as string, message: row.message as string };
      return { first: queue.retry(number, id), waiting, ...(failure && { failure }) };
    });
  }

  #page(table: string, filter: 'destination' | 'source', { of, before, limit }: Page): Row[] {
    const where =
      of === undefined ? '' : `AND ${filter} = ${this.#context.nameTable.find(filter, of)}`;
    const sql = `SELECT * FROM ${table} WHERE id < ? ${where} ORDER BY id DESC LIMIT ?`;
    return this.#context.connection.all(sql, before ?? Number.MAX_SAFE_INTEGER, limit);
  }

  readonly #nameOf = (id: Row[string] | undefined): string =>
    this.#context.nameTable.name(Number(id));
}

const selectFailure = 'SELECT code, message FROM retry WHERE destination = ? AND event = ?';
