import type { ListQuery, Page } from '../../../src/api/serve.js';
import type { Store } from '../../shared/view/store.js';
import { wanted } from '../filter/filter.js';
import { outcomesOf } from '../outcomes/found.js';
import { ofDeadLetter, ofRejected, ofWaiting, type Outcome } from '../outcomes/outcome.js';
import type { ListRows, Service } from '../receive/service.js';
import { listNames, type Loaded, type View } from './view.js';

type ListName = keyof ListRows;

const pageRows = 100;
/** The most that the service gives at once. */
const mostRows = 500;
/** The delay of a search after the last keystroke. */
const typingMs = 180;
/** A search is expensive for the service; new outcomes arrive by the stream. */
const findEveryMs = 5_000;

/** Loads the lists of the service as far as they are shown, and keeps them up to date. */
export class Lists {
  readonly #service: Service;
  readonly #view: Store<View>;
  readonly #running = new Map<ListName, AbortController>();
  #typing: number | undefined;
  #finding: AbortController | undefined;
  #foundAt = -Infinity;

  constructor(service: Service, view: Store<View>) {
    this.#service = service;
    this.#view = view;
  }

  /** The query has changed, so the loaded rows are outdated. */
  ask(): void {
    for (const name of listNames) this.#set(name, { isCurrent: false });
    this.#view.set({ found: { ...this.#view.value.found, isCurrent: false } });
    clearTimeout(this.#typing);
    this.#typing = window.setTimeout(() => this.refresh(), typingMs);
  }

  /** Reloads the list of the tab, and the result of the search. */
  refresh(): void {
    const { tab, filter } = this.#view.value;
    if (wanted(filter) !== '') this.#findAgain();
    // Rejected events are listed among the events, but are not in the stream.
    const shown = tab === 'events' ? 'rejected' : tab;
    for (const name of listNames) if (name === shown) void this.#load(name);
  }

  async more(name: ListName): Promise<void> {
    const { next, rows } = this.#view.value.lists[name];
    if (next !== null) await this.#load(name, next, rows);
  }

  /** Every row that the filter lets through, page by page. */
  async all(name: ListName): Promise<Outcome[]> {
    const rows: Outcome[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page = await this.#page(name, mostRows, after);
      rows.push(...page.rows);
      after = page.next;
    }
    return rows.filter(this.#hasType);
  }

  #findAgain(): void {
    const { isCurrent } = this.#view.value.found;
    if (isCurrent && performance.now() < this.#foundAt + findEveryMs) return;
    this.#foundAt = performance.now();
    void this.#find();
  }

  async #find(): Promise<void> {
    this.#finding?.abort();
    const abort = (this.#finding = new AbortController());
    const { filter } = this.#view.value;
    const { source, destination } = filter;
    const query = {
      search: wanted(filter),
      ...(source !== undefined && { source }),
      ...(destination !== undefined && { destination }),
    };
    try {
      const result = await this.#service.search(query, abort.signal);
      const found = { rows: outcomesOf(result), result, isCurrent: true, error: undefined };
      this.#view.set({ found });
    } catch (error) {
      const { message } = error as Error;
      if (abort.signal.aborted) return;
      this.#view.set({ found: { ...this.#view.value.found, error: message } });
    }
  }

  async #load(name: ListName, after?: string, before: readonly Outcome[] = []): Promise<void> {
    this.#running.get(name)?.abort();
    const abort = new AbortController();
    this.#running.set(name, abort);
    const loaded = this.#view.value.lists[name].rows.length;
    const limit = after ? pageRows : Math.min(Math.max(loaded, pageRows), mostRows);
    try {
      const page = await this.#page(name, limit, after, abort.signal);
      const { next, total } = page;
      const rows = [...before, ...page.rows];
      this.#set(name, { rows, next, total, isCurrent: true, error: undefined });
    } catch (error) {
      if (!abort.signal.aborted) this.#set(name, { error: (error as Error).message });
    }
  }

  async #page(
    name: ListName,
    limit: number,
    after?: string,
    signal?: AbortSignal,
  ): Promise<Page<Outcome>> {
    const query = { ...this.#query(name), limit, ...(after !== undefined && { after }) };
    switch (name) {
      case 'waiting':
        return mapped(await this.#service.list(name, query, signal), (row) => ofWaiting(row));
      case 'dead-letters':
        return mapped(await this.#service.list(name, query, signal), ofDeadLetter);
      case 'rejected':
        return mapped(await this.#service.list(name, query, signal), ofRejected);
    }
  }

  #query(name: ListName): ListQuery {
    const { filter } = this.#view.value;
    const search = wanted(filter);
    const { source, destination } = filter;
    return {
      ...(search !== '' && { search }),
      ...(source !== undefined && { source }),
      // What was rejected has no destination.
      ...(destination !== undefined && name !== 'rejected' && { destination }),
    };
  }

  readonly #hasType = ({ type }: Outcome): boolean => {
    const { filter } = this.#view.value;
    return filter.type === undefined || type === filter.type;
  };

  #set(name: ListName, change: Partial<Loaded>): void {
    const { lists } = this.#view.value;
    this.#view.set({ lists: { ...lists, [name]: { ...lists[name], ...change } } });
  }
}

function mapped<Row>(page: Page<Row>, outcomeOf: (row: Row) => Outcome): Page<Outcome> {
  return { ...page, rows: page.rows.map(outcomeOf) };
}
