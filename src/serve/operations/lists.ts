import type {
  DeadLetterDetail,
  DeadLetterRow,
  DeletionRow,
  DeliveryRow,
  ListQuery,
  Page,
  RejectedRow,
  WaitingRow,
} from '../../api/serve.js';
import type { ServiceStore } from '../store/service-store.js';
import type { Holds } from './holds.js';
import type { Activity } from './activity.js';
import { deadLetterRow, deletionRow, deliveryRow, rejectedRow, waitingRow } from './rows.js';

/** The query of a list with its default. */
export type ListRequest = ListQuery & { readonly limit: number };

/** Rows that a search reads for one page; reading blocks the event loop. */
const maxScanned = 2_000;
const scannedAtOnce = 200;

/** How many retries of a destination can be listed, the next ones. */
const maxWaitingShown = 2_000;

/** The lists of the operations page. */
export class Lists {
  readonly #store: ServiceStore;
  readonly #activity: Activity;
  readonly #holds: () => Holds;

  constructor(store: ServiceStore, activity: Activity, holds: () => Holds) {
    this.#holds = holds;
    this.#store = store;
    this.#activity = activity;
  }

  deliveries(asked: ListRequest): Page<DeliveryRow> {
    const rows: DeliveryRow[] = [];
    const start = asked.after === undefined ? Infinity : Number(asked.after);
    for (const numbered of this.#activity.before(start)) {
      const row = deliveryRow(numbered);
      if (matches(row, asked)) rows.push(row);
      if (rows.length > asked.limit) break;
    }
    return pageOf(rows, asked.limit, this.#activity.size);
  }

  delivery(id: number): DeliveryRow | undefined {
    const [found] = this.#activity.after(id - 1, 1);
    return found?.number === id ? deliveryRow(found) : undefined;
  }

  deadLetters(asked: ListRequest): Page<DeadLetterRow> {
    const read = (before: number | undefined, limit: number) =>
      this.#store.views.deadLetters({ of: asked.destination, before, limit }).map(deadLetterRow);
    return scan(read, asked, this.#store.views.deadLetterCount(asked.destination));
  }

  deadLetter(id: number): DeadLetterDetail | undefined {
    const [deadLetter] = this.#store.views.deadLetters({ before: id + 1, limit: 1 });
    if (deadLetter?.id !== id) return undefined;
    const { bytes, response } = deadLetter;
    const detail = { row: deadLetterRow(deadLetter), event: bytes.toString('utf8') };
    return response ? { ...detail, response } : detail;
  }

  rejected(asked: ListRequest): Page<RejectedRow> {
    const read = (before: number | undefined, limit: number) =>
      this.#store.views.rejected({ of: asked.source, before, limit }).map(rejectedRow);
    return scan(read, asked, this.#store.views.rejectedCount(asked.source));
  }

  deletions(asked: ListRequest): Page<DeletionRow> {
    const read = (before: number | undefined, limit: number) =>
      this.#store.views.deletions({ of: asked.source, before, limit }).map(deletionRow);
    return scan(read, asked, this.#store.views.deletionCount(asked.source));
  }

  /** Retries of these destinations, the next due first. */
  waiting(asked: ListRequest, destinations: readonly string[]): Page<WaitingRow> {
    const names = destinations.filter((name) => [name, undefined].includes(asked.destination));
    const offset = Number(asked.after ?? 0);
    const due = names
      .flatMap((name) =>
        this.#store.retries(name, maxWaitingShown).map((retry) => ({ ...retry, name })),
      )
      .sort((a, b) => a.dueAt - b.dueAt);
    const rows: WaitingRow[] = [];
    const holds = this.#holds();
    let at = offset;
    for (; at < due.length && rows.length < asked.limit; at++) {
      const { id, name, dueAt } = due[at]!;
      const event = this.#store.retry(name, id);
      const row = event && waitingRow(name, event, holds.ofRetry(name, dueAt));
      if (row && matches(row, asked)) rows.push(row);
    }
    const total = names.reduce((sum, name) => sum + this.#store.length(name).retrying, 0);
    return { rows, next: at < due.length ? String(at) : null, total };
  }
}

/** Reads, the newest first, until a page is full or `maxScanned` rows were read. */
function scan<Row extends Listed>(
  read: (before: number | undefined, limit: number) => Row[],
  asked: ListRequest,
  total: number,
): Page<Row> {
  const rows: Row[] = [];
  const isSearch = asked.search !== undefined || asked.source !== undefined;
  const atOnce = isSearch ? scannedAtOnce : asked.limit + 1;
  let before = asked.after === undefined ? undefined : Number(asked.after);
  for (let scanned = 0; scanned < maxScanned;) {
    const found = read(before, atOnce);
    for (const row of found) {
      if (matches(row, asked)) rows.push(row);
      if (rows.length > asked.limit) return pageOf(rows, asked.limit, total);
    }
    if (found.length < atOnce) return { rows, next: null, total };
    scanned += found.length;
    before = Number(found.at(-1)!.id);
  }
  return { rows, next: String(before), total };
}

/** @param rows one more than `limit` when there is a next page */
function pageOf<Row extends Listed>(rows: Row[], limit: number, total: number): Page<Row> {
  const fitting = rows.slice(0, limit);
  return { rows: fitting, next: rows.length > limit ? fitting.at(-1)!.id : null, total };
}

export interface Listed {
  readonly id: string;
  readonly source: string;
  readonly destination?: string | null;
}

export function matches(
  row: Omit<Listed, 'id'>,
  { source, destination, search }: ListQuery,
): boolean {
  if (source !== undefined && row.source !== source) return false;
  if (destination !== undefined && 'destination' in row && row.destination !== destination) {
    return false;
  }
  if (search === undefined || search === '') return true;
  const wanted = search.toLowerCase();
  return searched.some((name) => {
    const text: unknown = (row as unknown as Record<string, unknown>)[name];
    return typeof text === 'string' && text.toLowerCase().includes(wanted);
  });
}

const searched = ['messageId', 'user', 'name', 'type', 'code', 'message', 'text'];
