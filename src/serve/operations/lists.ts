import { setImmediate } from 'node:timers/promises';
import type {
  DeletionRow,
  EventAtDestination,
  ListQuery,
  Page,
  UserQueues,
} from '../../api/serve.js';
import type { Clock } from '../../clock.js';
import type { EventRecord } from '../event-record.js';
import { queuedRecord, retryRecord, type DeadLetter } from '../store/records.js';
import type { Event } from '../../events/event.js';
import { captureOfRaw } from '../raw/capture.js';
import { requestContains } from '../raw/contains.js';
import { isRaw, rawOf, type RawRequest } from '../raw/raw-request.js';
import { shownId } from '../raw/repeat-id.js';
import type { Awaitable } from '../store/awaitable.js';
import type { ServiceStore } from '../store/service-store.js';
import { unlessDamaged } from '../store/stored.js';
import type { Holds } from './holds.js';
import type { Newest } from './newest.js';
import type { RecentRequests } from './recent-requests.js';
import {
  deletionRow,
  apiRecord,
  apiRejectedCall,
  textOf,
  withoutResponses,
} from './api-records.js';

/** The query of a list with its default. */
export type ListRequest = ListQuery & { readonly limit: number };

/** Rows that a search reads for one page. */
const maxScanned = 2_000;
/** Reading blocks the event loop, and a row may hold 1 MiB. */
const scannedAtOnce = 16;
/** How long one page is searched for. */
const maxMs = 2_000;

/** How many retries of a destination can be listed, the next ones. */
const maxWaitingShown = 2_000;
const maxUsersShown = 20;

export interface ListsOptions {
  readonly activity: Newest<EventRecord>;
  readonly requests: RecentRequests;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The lists of the operations page. */
export class Lists {
  readonly #store: ServiceStore;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #activity: Newest<EventRecord>;
  readonly #requests: RecentRequests;
  readonly #holds: () => Holds;

  constructor(
    store: ServiceStore,
    { activity, requests, clock }: ListsOptions,
    holds: () => Holds,
  ) {
    this.#holds = holds;
    this.#store = store;
    this.#clock = clock;
    this.#activity = activity;
    this.#requests = requests;
  }

  /** What forwarding came to, the newest of each event and destination and what was before it. */
  deliveries(asked: ListRequest): Page {
    const found: (EventRecord & { readonly id: number })[] = [];
    const start = asked.after === undefined ? Infinity : Number(asked.after);
    for (const { number, item } of this.#activity.before(start)) {
      if (matches({ ...item, event: this.#requestOf(item) }, asked))
        found.push({ ...item, id: number });
      if (found.length > asked.limit) break;
    }
    return this.#apiPage(pageOf(found, asked.limit, this.#activity.size));
  }

  /** Those of the newest that are requests, and still in memory: their content is searched, too. */
  recentRequests(asked: ListRequest): EventAtDestination[] {
    const found: EventRecord[] = [];
    for (const { item } of this.#activity.before(Infinity)) {
      const event = this.#requestOf(item);
      if (event && matches({ ...item, event }, asked)) found.push(item);
      if (found.length === asked.limit) break;
    }
    return this.#apiPage({ rows: found, next: null, total: found.length }).rows.map(
      withoutResponses,
    );
  }

  async deadLetters(asked: ListRequest): Promise<Page> {
    const read = (before: number | undefined, limit: number) =>
      this.#store.views.deadLetters({ of: asked.destination, before, limit });
    const total = this.#store.views.deadLetterCount(asked.destination);
    const shown = (row: DeadLetter): EventAtDestination =>
      apiRecord({ ...row, response: null }, this.#store.views.keyOf(row));
    return scan({ read, shown, total, clock: this.#clock }, asked);
  }

  /** All that is known of an event at a destination; undefined if that is nothing. */
  async event(id: string): Promise<EventAtDestination | undefined> {
    const recent = this.#recent(id);
    const deadLetter = await this.#store.views.deadLetter(id);
    // What is in memory also has its attempts.
    const record = recent?.state === 'failed' || !deadLetter ? recent : deadLetter;
    if (!record) return undefined;
    const event = deadLetter ? deadLetter.event : this.#requestOf(record);
    if (event && isRaw(event)) {
      const request = unlessDamaged(() => captureOfRaw(rawOf(event), record));
      return { ...apiRecord(record, id), ...(request && { request }) };
    }
    const text = deadLetter?.bytes.toString('utf8');
    return { ...apiRecord(record, id), ...(text !== undefined && { text }) };
  }

  async rejected(asked: ListRequest): Promise<Page> {
    const read = async (before: number | undefined, limit: number) => {
      const calls = await this.#store.views.rejected({ of: asked.source, before, limit });
      return calls.map((call) => ({ ...call, text: textOf(call) }));
    };
    const total = this.#store.views.rejectedCount(asked.source);
    return scan({ read, shown: apiRejectedCall, total, clock: this.#clock }, asked);
  }

  deletions(asked: ListRequest): Promise<Page<DeletionRow>> {
    const read = async (before: number | undefined, limit: number) => {
      const found = await this.#store.views.deletions({ of: asked.source, before, limit });
      return found.map(deletionRow);
    };
    const total = this.#store.views.deletionCount(asked.source);
    return scan({ read, shown: (row) => row, total, clock: this.#clock }, asked);
  }

  /** Retries of these destinations, the next due first. */
  async waiting(asked: ListRequest, destinations: readonly string[]): Promise<Page> {
    const names = destinations.filter((name) => [name, undefined].includes(asked.destination));
    const offset = Number(asked.after ?? 0);
    const { views } = this.#store;
    const listed = names.map(async (name) => {
      const retries = await views.retries(name, maxWaitingShown);
      return retries.map((retry) => ({ ...retry, name }));
    });
    const due = (await Promise.all(listed)).flat().sort((a, b) => a.dueAt - b.dueAt);
    const rows: EventRecord[] = [];
    const holds = this.#holds();
    let at = offset;
    for (; at < due.length && rows.length < asked.limit; at++) {
      const { name, ...listed } = due[at]!;
      const event = await views.retry(name, listed);
      const nextAt = listed.dueAt;
      const record = event && holds.explained({ ...retryRecord(name, event), nextAt });
      if (record && matches(record, asked)) rows.push(record);
    }
    const total = names.reduce((sum, name) => sum + this.#store.length(name).retrying, 0);
    return this.#apiPage({ rows, next: at < due.length ? String(at) : null, total });
  }

  /** The request of a record, while it is in memory. A repeat was another one, perhaps. */
  #requestOf({ state, source, messageId }: EventRecord): RawRequest | undefined {
    return state === 'repeated' ? undefined : this.#requests.get(source, messageId);
  }

  /** Users of an ordered destination whose events wait for one another. */
  async userQueues(destination: string): Promise<UserQueues> {
    const queues = await this.#store.views.userQueues(destination, maxUsersShown);
    return {
      users: queues.map(({ first, failure, waiting }) => {
        const record =
          first &&
          ('dueAt' in first ? retryRecord(destination, first) : queuedRecord(destination, first));
        return {
          first: record ? apiRecord(record, this.#store.views.keyOf(record)) : null,
          code: failure?.code ?? null,
          message: failure?.message ?? null,
          waiting,
        };
      }),
    };
  }

  #recent(id: string): EventRecord | undefined {
    for (const { item } of this.#activity.before(Infinity)) {
      if (this.#store.views.keyOf(item) === id) return item;
    }
    return undefined;
  }

  #apiPage({ rows, ...page }: Page<EventRecord>): Page {
    return {
      ...page,
      rows: rows.map((record) => apiRecord(record, this.#store.views.keyOf(record))),
    };
  }
}

/** What a scan of a table needs. */
interface Scan<Row, Shown> {
  readonly read: (before: number | undefined, limit: number) => Awaitable<Row[]>;
  /** What is kept of a row that fits, which may hold 1 MiB. */
  readonly shown: (row: Row) => Shown;
  readonly total: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Reads, the newest first, until a page is full, `maxScanned` rows were read, or `maxMs` have passed. */
async function scan<Row extends Listed, Shown>(
  { read, shown, total, clock }: Scan<Row, Shown>,
  asked: ListRequest,
): Promise<Page<Shown>> {
  const rows: Shown[] = [];
  const end = clock.monotonic() + maxMs;
  let before = asked.after === undefined ? undefined : Number(asked.after);
  let last: Row['id'] | undefined;
  for (let scanned = 0; scanned < maxScanned && clock.monotonic() < end;) {
    const found = await read(before, scannedAtOnce);
    for (const row of found) {
      if (!matches(row, asked)) continue;
      if (rows.length === asked.limit) return { rows, next: String(last), total };
      rows.push(shown(row));
      last = row.id;
    }
    if (found.length < scannedAtOnce) return { rows, next: null, total };
    scanned += found.length;
    before = Number(found.at(-1)!.id);
    await setImmediate();
  }
  return { rows, next: String(before), total };
}

/** @param rows one more than `limit` when there is a next page */
function pageOf<Row extends Listed>(rows: Row[], limit: number, total: number): Page<Row> {
  const fitting = rows.slice(0, limit);
  return { rows: fitting, next: rows.length > limit ? String(fitting.at(-1)!.id) : null, total };
}

interface Listed {
  /** Of its row, in the order of arrival. */
  readonly id: number | string;
  readonly source: string;
  readonly destination?: string | null;
  /** Of a rejected call. */
  readonly text?: string;
  /** Of a request, its path, scheme and body are searched. */
  readonly event?: Event | undefined;
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
  const isFound = searched.some((name) => {
    const text: unknown = (row as unknown as Record<string, unknown>)[name];
    if (typeof text !== 'string') return false;
    const shown = name === 'messageId' ? shownId(text) : text;
    return shown.toLowerCase().includes(wanted);
  });
  return isFound || requestContains(row.event, wanted);
}

const searched = ['messageId', 'user', 'name', 'type', 'code', 'message', 'text'];
