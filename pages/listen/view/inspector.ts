import type { PageSetup, RequestRow } from '../../../src/api/listen.js';
import { matcher, noFilter, type Filter } from '../filter/filter.js';
import { listed } from '../list/place.js';
import type { Receiver } from '../receive/receiver.js';
import { RequestLog } from '../receive/request-log.js';
import { followStream } from '../receive/stream.js';
import type { Rows } from '../../shared/list/rows.js';
import { ListPage } from '../../shared/view/list-page.js';
import { firstListView } from '../../shared/view/list-view.js';
import { recall, remember } from '../../shared/view/memory.js';
import { Store } from '../../shared/view/store.js';
import { StatsPoll } from './stats-poll.js';
import type { View } from './view.js';

/** On a narrow page, the charts are hidden by default. */
function firstCharts(): ('shown' | 'hidden')[] {
  return innerWidth > 760 ? ['shown', 'hidden'] : ['hidden', 'shown'];
}

const orders = ['newest-first', 'oldest-first'] as const;

/** The page's state, and everything that can be done to it. */
export class Inspector extends ListPage<RequestRow, NonNullable<View['dialog']>> {
  readonly receiver: Receiver;
  readonly log: RequestLog;
  readonly view: Store<View>;
  readonly #poll: StatsPoll;

  constructor(receiver: Receiver, setup: PageSetup) {
    const log = new RequestLog(setup.maxKept);
    super(log, setup.maxKept);
    this.receiver = receiver;
    this.log = log;
    this.view = new Store<View>({
      ...firstListView(),
      setup,
      stats: undefined,
      filter: noFilter,
      order: recall('order', orders),
      faults: undefined,
      showsCharts: recall('charts', firstCharts()) === 'shown',
    });
    this.#poll = new StatsPoll(async () => this.view.set({ stats: await receiver.stats() }));
  }

  /** Begins to follow the receiver. */
  start(): void {
    followStream({
      opened: () => void this.#connected(),
      lost: () => this.view.set({ connection: 'lost' }),
      rows: (rows) => {
        this.inbox.push(rows);
        this.#poll.ask();
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

  setFilter(change: Partial<Filter>): void {
    const filter = { ...this.view.value.filter, ...change };
    this.log.filter(matcher(filter));
    this.view.set({ filter, version: this.view.value.version + 1 });
  }

  clearFilter(): void {
    this.setFilter(noFilter);
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

  async #connected(): Promise<void> {
    const isFirst = this.connected();
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
