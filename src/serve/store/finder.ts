import type { EndpointDeliveryState } from '../../delivery/outcome.js';
import type { Row, SqlValue } from '../../storage/sqlite.js';
import type { StoreContext } from './store-context.js';
import { deadLetterOf, rejectedCallOf, type DeadLetter, type RejectedCall } from './rows.js';
import { eventsOfBlock, storedEventOf, type BlockEvent } from './event-block.js';
import { storedEvent, type StoredEvent } from './stored.js';

/** An event that waits for a destination. */
export interface WaitingDelivery {
  readonly event: StoredEvent;
  readonly destination: string;
  /** Undefined before the first attempt; milliseconds since 1970. */
  readonly dueAt: number | undefined;
  readonly endpointDeliveries: readonly EndpointDeliveryState[];
}

export interface Search<Item> {
  readonly text: string;
  /** Whether an item that contains the text is a result. */
  readonly isWanted: (item: Item) => boolean;
  readonly limit: number;
  /** Called after each step; yields to the event loop. */
  readonly mayContinue: () => Promise<boolean>;
}

export interface Found<Item> {
  /** The newest first. */
  readonly items: readonly Item[];
  readonly isComplete: boolean;
}

/** Rows that are searched at once: about a millisecond. */
const stepRows = 250;

/** Searches all stored rows for a text; ASCII letters match in any case. */
export class Finder {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async waiting(search: Search<WaitingDelivery>): Promise<Found<WaitingDelivery>> {
    const queued = await this.#queued(search);
    const retries = await this.#search('event', retryText, search, (row) => this.#retriesOf(row));
    const items = [...queued.items, ...retries.items].sort((a, b) => b.event.id - a.event.id);
    const isComplete = queued.isComplete && retries.isComplete && items.length <= search.limit;
    return { items: items.slice(0, search.limit), isComplete };
  }

  deadLetters(search: Search<DeadLetter>): Promise<Found<DeadLetter>> {
    return this.#search('letter', deadLetterText, search, (row) => [
      deadLetterOf(row, this.#nameOf),
    ]);
  }

  rejected(search: Search<RejectedCall>): Promise<Found<RejectedCall>> {
    const itemsOf = (row: Row) => [rejectedCallOf(row, this.#nameOf)];
    return this.#search('rejected', rejectedText, search, itemsOf);
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
    table: string,
    text: string,
    search: Search<Item>,
    itemsOf: (row: Row) => Item[],
  ): Promise<Found<Item>> {
    const sql = `SELECT * FROM ${table}
      WHERE id < ? AND id >= ? AND instr(lower(${text}), lower(?)) > 0 ORDER BY id DESC`;
    const items: Item[] = [];
    for (let before: SqlValue = Number.MAX_SAFE_INTEGER; ;) {
      const first = this.#first(table, before);
      const rows = this.#context.connection.all(sql, before, first ?? 0, search.text);
      items.push(...rows.flatMap(itemsOf).filter(search.isWanted));
      if (items.length > search.limit) {
        return { items: items.slice(0, search.limit), isComplete: false };
      }
      if (first === undefined) return { items, isComplete: true };
      if (!(await search.mayContinue())) return { items, isComplete: false };
      before = first;
    }
  }

  /** The first id of a step; undefined for the last step. */
  #first(table: string, before: SqlValue): number | undefined {
    const sql = `SELECT id FROM ${table} WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?`;
    const row = this.#context.connection.get(sql, before, stepRows);
    return row && Number(row.id);
  }

  /** Searches the events without an attempt, one block at a step. */
  async #queued(search: Search<WaitingDelivery>): Promise<Found<WaitingDelivery>> {
    const items: WaitingDelivery[] = [];
    for (let before: SqlValue = Number.MAX_SAFE_INTEGER; ;) {
      const row = this.#context.connection.get(selectBlock, before);
      if (!row) return { items, isComplete: true };
      items.push(...this.#foundIn(row, search));
      if (items.length > search.limit) {
        return { items: items.slice(0, search.limit), isComplete: false };
      }
      if (!(await search.mayContinue())) return { items, isComplete: false };
      before = Number(row.last);
    }
  }

  #foundIn(block: Row, { text, isWanted }: Search<WaitingDelivery>): WaitingDelivery[] {
    const lower = asciiLowerCase(text);
    return eventsOfBlock(block)
      .filter(({ stamp, bytes }) =>
        asciiLowerCase(`${stamp.messageId} ${bytes.toString()}`).includes(lower),
      )
      .flatMap((event) => this.#deliveriesOf(event))
      .filter(isWanted)
      .reverse();
  }

  #deliveriesOf(found: BlockEvent): WaitingDelivery[] {
    const event = storedEventOf(found, this.#nameOf(found.source));
    return this.#context.queue.blocks.destinationsOf(event.id).map((destination) => ({
      ...{ event, destination: this.#nameOf(destination) },
      ...{ dueAt: undefined, endpointDeliveries: [] },
    }));
  }

  #retriesOf(row: Row): WaitingDelivery[] {
    const event = storedEvent(row, this.#nameOf(row.source));
    return this.#context.connection
      .all('SELECT destination, due_at, legs FROM delivery WHERE event = ?', event.id)
      .map(({ destination, due_at, legs }) => ({
        event,
        destination: this.#nameOf(destination),
        dueAt: Number(due_at),
        endpointDeliveries: JSON.parse(legs as string) as EndpointDeliveryState[],
      }));
  }

  readonly #nameOf = (id: Row[string] | undefined): string =>
    this.#context.nameTable.name(Number(id));
}

const bytes = 'CAST(bytes AS TEXT)';
const retryText = `message_id || ' ' || ${bytes}`;
const deadLetterText = `message_id || ' ' || code || ' ' || message || ' ' || ${bytes}`;
const rejectedText = `code || ' ' || message || ' ' || ${bytes}`;
const selectBlock = 'SELECT * FROM event_block WHERE last < ? ORDER BY last DESC LIMIT 1';

/** As `lower` of SQLite. */
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
