import type { PageSetup, RequestRow } from '../api.js';
import { matcher, noFilter, type Filter } from '../filter/filter.js';
import type { Receiver } from '../receive/receiver.js';
import { RequestLog } from '../receive/request-log.js';
import { followStream } from '../receive/stream.js';
import { Inbox } from '../shared/receive/inbox.js';
import { recall, remember } from '../shared/view/memory.js';
import type { Page } from '../shared/view/page.js';
import { Store } from '../shared/view/store.js';
import { applyTheme, nextTheme, themes } from '../shared/view/theme.js';
import { StatsPoll } from './stats-poll.js';
import { firstView, type DialogName, type View } from './view.js';

/** A narrow page has room for the list alone, until it is told otherwise. */
function firstPictures(): ('shown' | 'hidden')[] {
  return innerWidth > 760 ? ['shown', 'hidden'] : ['hidden', 'shown'];
}

const orders = ['newest-first', 'oldest-first'] as const;

/** The page's state, and everything that can be done to it. */
export class Inspector implements Page {
  readonly receiver: Receiver;
  readonly log: RequestLog;
  readonly view: Store<View>;
  readonly #inbox: Inbox<RequestRow>;
  readonly #poll: StatsPoll;
  /** What comes next replaces what is there: a new connection begins with all that is kept. */
  #isStale = false;
  #notices = 0;

  constructor(receiver: Receiver, setup: PageSetup) {
    this.receiver = receiver;
    this.log = new RequestLog(setup.maxKept);
    this.view = new Store<View>({
      ...firstView(setup),
      theme: recall('theme', themes),
      order: recall('order', orders),
      showsPictures: recall('pictures', firstPictures()) === 'shown',
    });
    this.#inbox = new Inbox({
      deliver: (rows) => this.#take(rows),
      onHeld: (held) => this.view.set({ held }),
      maxWaiting: setup.maxKept,
      nextFrame: (callback) => requestAnimationFrame(callback),
    });
    this.#poll = new StatsPoll(async () => this.view.set({ stats: await receiver.stats() }));
    applyTheme(this.view.value.theme);
  }

  /** Begins to follow the receiver. */
  start(): void {
    followStream({
      opened: () => void this.#connected(),
      lost: () => this.view.set({ connection: 'lost' }),
      rows: (rows) => {
        this.#inbox.push(rows);
        this.#poll.ask();
      },
      reset: () => this.#forget(),
      faults: (faults) => this.view.set({ faults }),
    });
  }

  setFilter(change: Partial<Filter>): void {
    const filter = { ...this.view.value.filter, ...change };
    this.log.filter(matcher(filter));
    this.view.set({ filter, version: this.view.value.version + 1 });
  }

  clearFilter(): void {
    this.setFilter(noFilter);
  }

  togglePause(): void {
    const isPaused = !this.view.value.isPaused;
    this.view.set({ isPaused, held: 0 });
    if (isPaused) this.#inbox.hold();
    else this.#inbox.release();
  }

  toggleOrder(): void {
    const order = this.view.value.order === orders[0] ? orders[1] : orders[0];
    remember('order', order);
    this.view.set({ order });
  }

  togglePictures(): void {
    const showsPictures = !this.view.value.showsPictures;
    remember('pictures', showsPictures ? 'shown' : 'hidden');
    this.view.set({ showsPictures });
  }

  nextTheme(): void {
    const theme = nextTheme(this.view.value.theme);
    remember('theme', theme);
    applyTheme(theme);
    this.view.set({ theme });
  }

  show(dialog: DialogName | undefined): void {
    this.view.set({ dialog });
  }

  closeDialog(): void {
    this.show(undefined);
  }

  /** Shows the detail of a request, or none. */
  open(opened: RequestRow | undefined): void {
    this.view.set(opened ? { opened, cursor: opened } : { opened });
  }

  toggleSelected(row: RequestRow): void {
    const selected = new Map(this.view.value.selected);
    if (!selected.delete(row.sequence)) selected.set(row.sequence, row);
    this.view.set({ selected });
  }

  select(rows: readonly RequestRow[]): void {
    this.view.set({ selected: new Map(rows.map((row) => [row.sequence, row])) });
  }

  /** Makes the receiver forget all requests; the stream tells when it has. */
  async clear(): Promise<void> {
    await this.receiver.reset();
    this.notify('Cleared');
  }

  notify(text: string): void {
    this.view.set({ notice: { text, id: ++this.#notices } });
  }

  async #connected(): Promise<void> {
    const isFirst = this.view.value.connection === 'connecting';
    this.#isStale = !isFirst;
    this.view.set({ connection: 'live' });
    this.#poll.ask();
    this.#inbox.empty();
    // A receiver that was started again has another token and another plan.
    if (!isFirst) this.view.set({ setup: await this.receiver.setup() });
    this.view.set({ faults: await this.receiver.faults() });
  }

  #take(rows: readonly RequestRow[]): void {
    if (rows.length === 0 && !this.#isStale) return;
    if (this.#isStale) this.log.clear();
    this.#isStale = false;
    this.log.add(rows);
    this.view.set({ version: this.view.value.version + 1, held: 0 });
  }

  #forget(): void {
    this.log.clear();
    this.#inbox.empty();
    this.#poll.ask();
    const version = this.view.value.version + 1;
    this.view.set({ version, held: 0, cursor: undefined, opened: undefined, selected: new Map() });
  }
}
