import type { Row } from '../../../storage/sqlite.js';
import type { StoreContext } from './store-context.js';
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
import type { QueuedBlock } from './queued-block.js';
import { eventOfBlock, type BlockEvent } from '../event-block.js';
import type { Finder, Found, Search } from '../store-views.js';
import { unlessDamaged } from '../stored.js';

/** Searches all stored rows for a text; ASCII letters match in any case. */
export class SqliteFinder implements Finder {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Events without an attempt. */
  notAttempted(search: Search<StoredRecord>): Promise<Found<StoredRecord>> {
    const itemsOf = (row: Row) => this.#notAttemptedIn(row, search.text);
    return this.#search(blockTable, search, itemsOf);
  }

  /** Events that wait for a retry, or are parked. */
  retries(search: Search<StoredRecord>): Promise<Found<StoredRecord>> {
    return this.#search(retryTable, search, (row) => this.#retriesOf(row));
  }

  deadLetters(search: Search<DeadLetter>): Promise<Found<DeadLetter>> {
    return this.#search(
      deadLetterTable,
      search,
      (row) => [deadLetterOf(row, this.#nameOf)],
      withoutText,
    );
  }

  rejected(search: Search<RejectedCall>): Promise<Found<RejectedCall>> {
    const itemsOf = (row: Row) => [rejectedCallOf(row, this.#nameOf)];
    return this.#search(rejectedTable, search, itemsOf, beginningOf);
  }

  /**
   * When a source sent an event with this messageId within the last day: milliseconds since 1970,
   * within ten minutes. Undefined also for an id that evfwd generated.
   */
  seenAt(source: string, messageId: string): number | undefined {
    const { nameTable, seen } = this.#context;
    return seen.seenAt(nameTable.id('source', source), messageId);
  }

  async #search<Item>(
    table: Table,
    search: Search<Item>,
    itemsOf: (row: Row) => Item[],
    found: (item: Item) => Item = (item) => item,
  ): Promise<Found<Item>> {
    const { name, id, matches } = table;
    const sql = `SELECT * FROM ${name} WHERE ${id} < ?1 AND ${id} >= ?2 AND (${matches}) ORDER BY ${id} DESC`;
    // Reading the text of a damaged event may fail.
    const isWanted = (item: Item): boolean => unlessDamaged(() => search.isWanted(item)) ?? false;
    const items: Item[] = [];
    let isComplete = true;
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const lowest = this.#lowestId(table, before);
      const step = [before, lowest ?? 0, search.text];
      const rows = unlessDamaged(() => this.#context.connection.all(sql, ...step));
      isComplete &&= rows !== undefined;
      items.push(...(rows ?? []).flatMap(itemsOf).filter(isWanted).map(found));
      if (items.length > search.limit) {
        return { items: items.slice(0, search.limit), isComplete: false };
      }
      if (lowest === undefined) return { items, isComplete };
      if (!(await search.mayContinue())) return { items, isComplete: false };
      before = lowest;
    }
  }

  /** The lowest id of the next step; undefined for the last step. The lengths are read without the bytes. */
  #lowestId({ name, id, stepRows }: Table, before: number): number | undefined {
    const sql = `SELECT ${id} AS id, length(bytes) AS length FROM ${name} WHERE ${id} < ? ORDER BY ${id} DESC LIMIT ?`;
    const rows = this.#context.connection.all(sql, before, stepRows + 1);
    let bytes = 0;
    const last = rows.find((row, index) => {
      bytes += Number(row.length);
      return bytes >= stepBytes || index === stepRows;
    });
    return last && Number(last.id);
  }

  /** The deliveries of a block whose events contain the text, the newest first. */
  #notAttemptedIn(block: Row, text: string): StoredRecord[] {
    const lower = asciiLowerCase(text);
    const contains = (part: string): boolean => asciiLowerCase(part).includes(lower);
    return this.#context.queue.blocks
      .waitingIn(block)
      .filter(
        ({ event: { stamp, bytes } }) => contains(stamp.messageId) || contains(bytes.toString()),
      )
      .flatMap(({ event, queues }) => this.#deliveriesOf(event, queues))
      .reverse();
  }

  #deliveriesOf(found: BlockEvent, queues: readonly QueuedBlock[]): StoredRecord[] {
    // One that cannot be read is found to be damaged when it is sent.
    const record = unlessDamaged(() =>
      queuedRecord('', eventOfBlock(found, this.#nameOf(found.source))),
    );
    if (!record) return [];
    return queues.map((queue) => ({ ...record, destination: this.#nameOf(queue.destination) }));
  }

  #retriesOf(row: Row): StoredRecord[] {
    const id = Number(row.id);
    return this.#context.connection
      .all(selectDestinations, id)
      .flatMap(({ destination: number }) => {
        const event = this.#context.queue.retry(Number(number), id);
        return (event && unlessDamaged(() => retryRecord(this.#nameOf(number), event))) ?? [];
      })
      .concat(this.#parkedOf(id));
  }

  #parkedOf(id: number): StoredRecord[] {
    const { queue } = this.#context;
    return queue.users.parkedFor(id).flatMap((number) => {
      const event = queue.parked(number, id);
      return (event && unlessDamaged(() => queuedRecord(this.#nameOf(number), event))) ?? [];
    });
  }

  readonly #nameOf = (id: Row[string] | undefined): string =>
    this.#context.nameTable.name(Number(id));
}

const selectDestinations = 'SELECT destination FROM retry WHERE event = ? AND destination > 0';

/** A table that is searched. */
interface Table {
  readonly name: string;
  /** The column that orders its rows. */
  readonly id: string;
  /**
   * An SQL expression; `?3` is the text. Of blocks it only preselects: it also matches a text across two
   * events, and the numbers in `entries`.
   */
  readonly matches: string;
  /** Rows that are searched at once, if they are no larger than `stepBytes`: about a millisecond. */
  readonly stepRows: number;
}

/** Of rows that are searched at once; the last one may be beyond it. */
const stepBytes = 1_048_576;

const bytes = 'CAST(bytes AS TEXT)';
/** The text as it is within a JSON string. */
const textInJson = 'substr(json_quote(?3), 2, length(json_quote(?3)) - 2)';

const blockTable: Table = {
  name: 'event_block',
  id: 'last_id',
  matches: `${containsSql(bytes, '?3')} OR ${containsSql('entries', textInJson)}`,
  // Of about a hundred events each.
  stepRows: 16,
};
const hasId = containsSql('message_id', textInJson);
const retryTable = tableOf('retry_event', `${containsSql(bytes, '?3')} OR ${hasId}`);
const why = `code || ' ' || message || ' ' || ${bytes}`;
const deadLetterTable = tableOf('dead_letter', `${containsSql(why, '?3')} OR ${hasId}`);
const rejectedTable = tableOf('rejected', containsSql(why, '?3'));

function tableOf(name: string, matches: string): Table {
  return { name, id: 'id', matches, stepRows: 250 };
}

function containsSql(text: string, part: string): string {
  return `instr(lower(${text}), lower(${part})) > 0`;
}

/** As `lower` of SQLite. */
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
