import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { EventAtDestination, ListQuery, Page, SearchResult } from '../../../src/api/serve.js';
import { searchText, type Filter } from '../filter/filter.js';
import type { ListName, Service } from '../receive/service.js';

/** `events`: what becomes of events, live; the others are the lists of the service. */
export type Tab = 'events' | ListName;

const listNames = ['waiting', 'dead-letters', 'rejected'] as const;

/** What is loaded of a list of the service. */
interface LoadedList {
  readonly rows: readonly EventAtDestination[];
  /** Where the next page begins; null behind the last one. */
  readonly next: string | null;
  /** Rows in all, whatever is searched for. */
  readonly total: number;
  /** Whether it belongs to the current query. */
  readonly isCurrent: boolean;
  readonly error: string | undefined;
}

/** The result of a search. */
interface SearchState {
  readonly result: SearchResult | undefined;
  /** Whether it belongs to the current query. */
  readonly isCurrent: boolean;
  readonly error: string | undefined;
}

const nothingLoaded: LoadedList = {
  rows: [],
  next: null,
  total: 0,
  isCurrent: false,
  error: undefined,
};

const nothingFound: SearchState = {
  result: undefined,
  isCurrent: false,
  error: undefined,
};

const pageRows = 100;
/** The most that the service gives at once. */
const maxRows = 500;
/** The delay of a search after the last keystroke. */
const typingMs = 180;
/** A search is expensive for the service; new outcomes arrive by the stream. */
const findEveryMs = 5_000;

/** Loads the lists of the service as far as they are shown, and keeps them up to date. */
export class Lists {
  readonly waiting = signal(nothingLoaded);
  readonly 'dead-letters' = signal(nothingLoaded);
  readonly rejected = signal(nothingLoaded);
  readonly found = signal(nothingFound);
  readonly #service: Service;
  readonly #tab: ReadonlySignal<Tab>;
  readonly #filter: ReadonlySignal<Filter>;
  readonly #running = new Map<ListName, AbortController>();
  #typing: number | undefined;
  #finding: AbortController | undefined;
  #foundAt = -Infinity;

  constructor(service: Service, tab: ReadonlySignal<Tab>, filter: ReadonlySignal<Filter>) {
    this.#service = service;
    this.#tab = tab;
    this.#filter = filter;
  }

  /** The query has changed, so the loaded rows are outdated. */
  invalidate(): void {
    for (const name of listNames) change(this[name], { isCurrent: false });
    change(this.found, { isCurrent: false });
    clearTimeout(this.#typing);
    this.#typing = window.setTimeout(() => this.refresh(), typingMs);
  }

  /** Reloads the list of the tab, and the result of the search. */
  refresh(): void {
    if (searchText(this.#filter.value) !== '') this.#findAgain();
    const { value: tab } = this.#tab;
    // Rejected events are listed among the events, but are not in the stream.
    void this.#load(tab === 'events' ? 'rejected' : tab);
  }

  async more(name: ListName): Promise<void> {
    const { next, rows } = this[name].value;
    if (next !== null) await this.#load(name, next, rows);
  }

  /** Every row that the filter lets through, page by page. */
  async all(name: ListName): Promise<EventAtDestination[]> {
    const rows: EventAtDestination[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page = await this.#page(name, maxRows, after);
      rows.push(...page.rows);
      after = page.next;
    }
    return rows.filter(this.#hasType);
  }

  #findAgain(): void {
    const { isCurrent } = this.found.value;
    if (isCurrent && performance.now() < this.#foundAt + findEveryMs) return;
    this.#foundAt = performance.now();
    void this.#find();
  }

  async #find(): Promise<void> {
    this.#finding?.abort();
    const abort = (this.#finding = new AbortController());
    const { value: filter } = this.#filter;
    const { source, destination } = filter;
    const query = {
      search: searchText(filter),
      ...(source !== undefined && { source }),
      ...(destination !== undefined && { destination }),
    };
    try {
      const result = await this.#service.search(query, abort.signal);
      this.found.value = { result, isCurrent: true, error: undefined };
    } catch (error) {
      if (!abort.signal.aborted) change(this.found, { error: (error as Error).message });
    }
  }

  async #load(
    name: ListName,
    after?: string,
    before: readonly EventAtDestination[] = [],
  ): Promise<void> {
    this.#running.get(name)?.abort();
    const abort = new AbortController();
    this.#running.set(name, abort);
    const loaded = this[name].value.rows.length;
    const limit = after ? pageRows : Math.min(Math.max(loaded, pageRows), maxRows);
    try {
      const page = await this.#page(name, limit, after, abort.signal);
      const { next, total } = page;
      const rows = [...before, ...page.rows];
      this[name].value = { rows, next, total, isCurrent: true, error: undefined };
    } catch (error) {
      if (!abort.signal.aborted) change(this[name], { error: (error as Error).message });
    }
  }

  #page(name: ListName, limit: number, after?: string, signal?: AbortSignal): Promise<Page> {
    const query = { ...this.#query(name), limit, ...(after !== undefined && { after }) };
    return this.#service.list(name, query, signal);
  }

  #query(name: ListName): ListQuery {
    const { value: filter } = this.#filter;
    const search = searchText(filter);
    const { source, destination } = filter;
    return {
      ...(search !== '' && { search }),
      ...(source !== undefined && { source }),
      // What was rejected has no destination.
      ...(destination !== undefined && name !== 'rejected' && { destination }),
    };
  }

  readonly #hasType = ({ type }: EventAtDestination): boolean => {
    const { value: filter } = this.#filter;
    return filter.type === undefined || type === filter.type;
  };
}

/** Replaces some members of a value. */
function change<T extends object>(state: Signal<T>, members: Partial<T>): void {
  state.value = { ...state.value, ...members };
}
