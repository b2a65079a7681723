import { setImmediate } from 'node:timers/promises';
import { newestRecords } from '../../api/newest-records.js';
import type { EventAtDestination, SearchQuery, SearchResult } from '../../api/serve.js';
import type { Clock } from '../../clock.js';
import type { StoredRecord } from '../store/records.js';
import type { ServiceStore } from '../store/service-store.js';
import type { OutcomeLog } from '../store/store-views.js';
import type { Holds } from './holds.js';
import { matches } from './lists.js';
import { apiRecord, apiRejectedCall, textOf, timeOf } from './api-records.js';

export interface SearcherOptions {
  readonly store: ServiceStore;
  readonly deliveryLog: OutcomeLog;
  readonly clock: Clock;
  readonly holds: () => Holds;
  /** What is found among the newest, whose requests are in memory. */
  readonly recent: (query: SearchQuery) => readonly EventAtDestination[];
  /** Names of the configured sources. */
  readonly sources: () => readonly string[];
}

/** Of each kind of row. */
const maxRows = 500;
/** For each table, and the delivery log. */
const maxMs = 2_000;

/** How long the ids of sources are looked up in one turn of the event loop. */
const seenTurnMs = 5;

/** Searches for events in the queues, dead letters, rejected calls and the log; one search at a time. */
export class Searcher {
  readonly #options: SearcherOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SearcherOptions) {
    this.#options = options;
  }

  /** @param isAborted whether the client has disconnected */
  search(query: SearchQuery, isAborted: () => boolean): Promise<SearchResult> {
    const found = this.#last.then(() => this.#search(query, isAborted));
    this.#last = found.catch(() => undefined);
    return found;
  }

  async #search(query: SearchQuery, isAborted: () => boolean): Promise<SearchResult> {
    const { store, deliveryLog } = this.#options;
    const { finder } = store;
    const holds = this.#options.holds();
    const limited = () => ({
      text: query.search,
      limit: maxRows,
      mayContinue: this.#limit(isAborted),
    });
    const isWaiting = (record: StoredRecord): boolean =>
      isWanted(holds.explained(record), query, record.event?.value);
    // Before the retries: an event that is attempted in between is found in both, not in neither.
    const queued = await finder.notAttempted({ ...limited(), isWanted: isWaiting });
    const retries = await finder.retries({ ...limited(), isWanted: isWaiting });
    const deadLetters = await finder.deadLetters({
      ...limited(),
      isWanted: (deadLetter) => isWanted(deadLetter, query, deadLetter.event?.value),
    });
    const rejected = await finder.rejected({
      ...limited(),
      isWanted: (call) => isWanted({ ...call, text: textOf(call) }, query),
    });
    const history = await deliveryLog.search({
      ...limited(),
      isWanted: (entry) => isWanted(entry, query),
    });
    const seen = await this.#seenBy(query, this.#limit(isAborted));
    const all = [queued, retries, deadLetters, rejected, history, seen];
    const records = [
      ...[...queued.items, ...retries.items].map((record) => holds.explained(record)),
      ...deadLetters.items.map((deadLetter) => ({ ...deadLetter, response: null })),
      ...history.items,
    ];
    return {
      at: timeOf(this.#options.clock.now()),
      events: newestRecords([
        ...records.map((record) => apiRecord(record, store.views.keyOf(record))),
        ...rejected.items.map(apiRejectedCall),
        ...this.#options.recent(query),
      ]),
      historyFrom: history.from === undefined ? null : timeOf(history.from),
      isComplete: all.every(({ isComplete }) => isComplete),
      seen: seen.sources,
    };
  }

  /** There may be thousands of sources, and for each one of them as many destinations are looked up. */
  async #seenBy(
    { search }: SearchQuery,
    mayContinue: () => Promise<boolean>,
  ): Promise<{ readonly sources: SearchResult['seen']; readonly isComplete: boolean }> {
    const { store, clock } = this.#options;
    const found: { readonly source: string; readonly at: string }[] = [];
    let turnEnds = clock.monotonic() + seenTurnMs;
    for (const source of this.#options.sources()) {
      if (clock.monotonic() >= turnEnds) {
        if (!(await mayContinue())) return { sources: found, isComplete: false };
        turnEnds = clock.monotonic() + seenTurnMs;
      }
      const at = await store.finder.seenAt(source, search);
      if (at !== undefined) found.push({ source, at: timeOf(at) });
    }
    return { sources: found, isComplete: true };
  }

  /** Yields to the event loop on each call. */
  #limit(isAborted: () => boolean): () => Promise<boolean> {
    const { clock } = this.#options;
    const end = clock.monotonic() + maxMs;
    return async () => {
      await setImmediate();
      return clock.monotonic() < end && !isAborted();
    };
  }
}

/** Rows show one id of a user, but an event may have two. */
function isWanted(
  row: Parameters<typeof matches>[0],
  query: SearchQuery,
  { anonymousId }: Readonly<Record<string, unknown>> = {},
): boolean {
  if (matches(row, query)) return true;
  if (typeof anonymousId !== 'string' || !matches(row, { ...query, search: '' })) return false;
  return anonymousId.toLowerCase().includes(query.search.toLowerCase());
}
