import { signal, type Signal } from '@preact/signals';
import type { FaultPlan, PageSetup, RequestRow, Stats } from '../../../src/api/listen.js';
import type { Rows } from '../../shared/list/rows.js';
import { ListPage } from '../../shared/view/list-page.js';
import { recall, remember } from '../../shared/view/memory.js';
import { usePageOf } from '../../shared/view/page.js';
import { ListFilter } from '../filter/list-filter.js';
import { termText, withField } from '../filter/query.js';
import { TextSearch } from '../filter/text-search.js';
import { followStream, type Receiver } from '../receive/receiver.js';
import { byArrival, listed, type Order, RequestLog } from '../receive/request-log.js';
import { Poll } from './poll.js';

/** On a narrow page, the charts are hidden by default. */
function firstCharts(): ('shown' | 'hidden')[] {
  return innerWidth > 760 ? ['shown', 'hidden'] : ['hidden', 'shown'];
}

/** Often enough for a number that grows, seldom enough not to be felt. */
const statsPauseMs = 500;

const orders: readonly Order[] = ['newest-first', 'oldest-first'];

export type DialogName = 'faults' | 'replay' | 'edit' | 'compare' | 'clear' | 'help';

/** The page's state, and everything that can be done to it. */
export class Inspector extends ListPage<RequestRow, { readonly name: DialogName }> {
  readonly receiver: Receiver;
  readonly filter: ListFilter;
  readonly setup: Signal<PageSetup>;
  readonly stats = signal<Stats | undefined>(undefined);
  /** The search with all filters, as it is written: see `parseQuery`. */
  readonly query: Signal<string>;
  readonly order = signal(recall('order', orders));
  readonly faults = signal<FaultPlan | undefined>(undefined);
  readonly showsCharts = signal(recall('charts', firstCharts()) === 'shown');
  readonly #log: RequestLog;
  readonly #poll: Poll;

  constructor(receiver: Receiver, setup: PageSetup, query: string) {
    const log = new RequestLog(setup.maxKept);
    super(log, setup.maxKept);
    this.receiver = receiver;
    this.#log = log;
    this.setup = signal(setup);
    this.query = signal(query);
    const texts = new TextSearch(
      (text, after, signal) => receiver.search(text, after, signal),
      setup.maxKept,
    );
    this.filter = new ListFilter(log, texts, () => this.#changed());
    this.#poll = new Poll(async () => {
      this.stats.value = await receiver.stats();
    }, statsPauseMs);
  }

  /** Begins to follow the receiver. */
  start(): void {
    followStream({
      opened: () => void this.#connected(),
      lost: () => (this.connection.value = 'lost'),
      rows: (rows) => {
        this.inbox.push(rows);
        this.#poll.ask();
        this.filter.follow();
      },
      reset: () => this.#forget(),
      faults: (faults) => (this.faults.value = faults),
    });
  }

  /** The requests: what reads them while it is rendered is rendered again when there are others. */
  get log(): RequestLog {
    // Reading a signal is what subscribes to it.
    this.version.valueOf();
    return this.#log;
  }

  get rows(): Rows<RequestRow> {
    return listed(this.log, this.order.value);
  }

  keyOf({ sequence }: RequestRow): string {
    return String(sequence);
  }

  setQuery(query: string): void {
    this.query.value = query;
    this.filter.apply(query);
  }

  /** Shows all requests. */
  clearFilter(): void {
    this.setQuery('');
  }

  /** Shows only the requests of this user, among those that the other filters show. */
  showUser(user: string): void {
    this.setQuery(withField(this.query.value, 'user', [{ field: 'user', value: user }]));
  }

  /** Shows only the requests that hold this text anywhere. */
  showText(text: string): void {
    this.setQuery(termText({ field: 'text', value: text, isQuoted: true }));
  }

  /** The open request, else the one that the keyboard is on. */
  get focused(): RequestRow | undefined {
    return this.opened.value ?? this.cursor.value;
  }

  /** The selected requests, else the focused one. */
  get chosen(): readonly RequestRow[] {
    const { value: selected } = this.selected;
    if (selected.size > 0) return [...selected.values()];
    return this.focused ? [this.focused] : [];
  }

  /** The two selected requests, the older one first; undefined unless exactly two are selected. */
  get compared(): readonly [RequestRow, RequestRow] | undefined {
    const { value: selected } = this.selected;
    if (selected.size !== 2) return undefined;
    const [one, other] = [...selected.values()] as [RequestRow, RequestRow];
    return byArrival(one, other) < 0 ? [one, other] : [other, one];
  }

  protected override settled(): Promise<void> {
    return this.filter.settled;
  }

  toggleOrder(): void {
    const order = this.order.value === 'newest-first' ? 'oldest-first' : 'newest-first';
    remember('order', order);
    this.order.value = order;
  }

  toggleCharts(): void {
    const showsCharts = !this.showsCharts.value;
    remember('charts', showsCharts ? 'shown' : 'hidden');
    this.showsCharts.value = showsCharts;
  }

  /** Deletes all requests of the receiver; the stream reports when that is done. */
  async clear(): Promise<void> {
    await this.receiver.reset();
    this.notify('Cleared');
  }

  #changed(): void {
    this.version.value++;
  }

  async #connected(): Promise<void> {
    const isFirst = this.connected();
    this.filter.restart(this.query.value);
    this.#poll.ask();
    // A receiver that was started again has another token and another plan.
    if (!isFirst) this.setup.value = await this.receiver.setup();
    this.faults.value = await this.receiver.faults();
  }

  #forget(): void {
    this.#log.clear();
    this.inbox.empty();
    this.#poll.ask();
    this.held.value = 0;
    this.cursor.value = undefined;
    this.opened.value = undefined;
    this.selected.value = new Map();
    this.#changed();
  }
}

/** The page's one inspector. */
export function useInspector(): Inspector {
  return usePageOf(Inspector);
}
