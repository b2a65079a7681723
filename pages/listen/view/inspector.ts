import type { PageSetup, RequestRow } from '../../../src/api/listen.js';
import { ListFilter } from '../filter/list-filter.js';
import { termText, withField } from '../filter/query.js';
import { TextSearch } from '../filter/text-search.js';
import { listed } from '../list/place.js';
import { queryInAddress } from '../page/address.js';
import type { Receiver } from '../receive/receiver.js';
import { RequestLog } from '../receive/request-log.js';
import { followStream } from '../receive/stream.js';
import type { Rows } from '../../shared/list/rows.js';
import { ListPage } from '../../shared/view/list-page.js';
import { firstListView } from '../../shared/view/list-view.js';
import { recall, remember } from '../../shared/view/memory.js';
import { Store } from '../../shared/view/store.js';
import { Poll } from './poll.js';
import type { View } from './view.js';

/** On a narrow page, the charts are hidden by default. */
function firstCharts(): ('shown' | 'hidden')[] {
  return innerWidth > 760 ? ['shown', 'hidden'] : ['hidden', 'shown'];
}

/** Often enough for a number that grows, seldom enough not to be felt. */
const statsPauseMs = 500;

const orders = ['newest-first', 'oldest-first'] as const;

/** The page's state, and everything that can be done to it. */
export class Inspector extends ListPage<RequestRow, NonNullable<View['dialog']>> {
  readonly receiver: Receiver;
  readonly log: RequestLog;
  readonly view: Store<View>;
  readonly filter: ListFilter;
  readonly #poll: Poll;

  constructor(receiver: Receiver, setup: PageSetup) {
    const log = new RequestLog(setup.maxKept);
    super(log, setup.maxKept);
    this.receiver = receiver;
    this.log = log;
    this.view = new Store<View>({
      ...firstListView(),
      setup,
      stats: undefined,
      query: queryInAddress(),
      order: recall('order', orders),
      faults: undefined,
      showsCharts: recall('charts', firstCharts()) === 'shown',
    });
    const texts = new TextSearch(
      (text, after, signal) => receiver.search(text, after, signal),
      setup.maxKept,
    );
    this.filter = new ListFilter(log, texts, () => this.#changed());
    this.#poll = new Poll(
      async () => this.view.set({ stats: await receiver.stats() }),
      statsPauseMs,
    );
  }

  /** Begins to follow the receiver. */
  start(): void {
    followStream({
      opened: () => void this.#connected(),
      lost: () => this.view.set({ connection: 'lost' }),
      rows: (rows) => {
        this.inbox.push(rows);
        this.#poll.ask();
        this.filter.follow();
      },
      reset: () => this.#forget(),
      faults: (faults) => this.view.set({ faults }),
    });
  }

  get rows(): Rows<RequestRow> {
    return listed(this.log, this.view.value.order);
  }

  keyOf({ sequence }: RequestRow): string {
    return String(sequence);
  }

  setQuery(query: string): void {
    this.view.set({ query });
    this.filter.apply(query);
  }

  /** Shows all requests. */
  clearFilter(): void {
    this.setQuery('');
  }

  /** Shows only the requests of this user, among those that the other filters show. */
  showUser(user: string): void {
    this.setQuery(withField(this.view.value.query, 'user', [{ field: 'user', value: user }]));
  }

  /** Shows only the requests that hold this text anywhere. */
  showText(text: string): void {
    this.setQuery(termText({ field: 'text', value: text, isQuoted: true }));
  }

  /** The two selected requests, the older one first; undefined unless exactly two are selected. */
  get compared(): readonly [RequestRow, RequestRow] | undefined {
    const { selected } = this.view.value;
    if (selected.size !== 2) return undefined;
    const [one, other] = [...selected.values()] as [RequestRow, RequestRow];
    return one.sequence < other.sequence ? [one, other] : [other, one];
  }

  protected override settled(): Promise<void> {
    return this.filter.settled;
  }

  toggleOrder(): void {
    const order = this.view.value.order === orders[0] ? orders[1] : orders[0];
    remember('order', order);
    this.view.set({ order });
  }

  toggleCharts(): void {
    const showsCharts = !this.view.value.showsCharts;
    remember('charts', showsCharts ? 'shown' : 'hidden');
    this.view.set({ showsCharts });
  }

  /** Deletes all requests of the receiver; the stream reports when that is done. */
  async clear(): Promise<void> {
    await this.receiver.reset();
    this.notify('Cleared');
  }

  #changed(): void {
    this.view.set({ version: this.view.value.version + 1 });
  }

  async #connected(): Promise<void> {
    const isFirst = this.connected();
    this.filter.restart(this.view.value.query);
    this.#poll.ask();
    // A receiver that was started again has another token and another plan.
    if (!isFirst) this.view.set({ setup: await this.receiver.setup() });
    this.view.set({ faults: await this.receiver.faults() });
  }

  #forget(): void {
    this.log.clear();
    this.inbox.empty();
    this.#poll.ask();
    const version = this.view.value.version + 1;
    this.view.set({ version, held: 0, cursor: undefined, opened: undefined, selected: new Map() });
  }
}
