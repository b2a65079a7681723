import type { Overview, ServiceSetup } from '../../../src/api/serve.js';
import type { Rows } from '../../shared/list/rows.js';
import { ListPage } from '../../shared/view/list-page.js';
import { recallText, remember } from '../../shared/view/memory.js';
import { Store } from '../../shared/view/store.js';
import { noFilter, type Filter } from '../filter/filter.js';
import { OutcomeLog } from '../outcomes/outcome-log.js';
import { ofDelivery, ofRejected, type Outcome } from '../outcomes/outcome.js';
import { Rates } from '../overview/rates.js';
import { follow } from '../receive/follow.js';
import type { Service } from '../receive/service.js';
import { listed } from './listed.js';
import { Lists } from './lists.js';
import { firstView, type DialogState, type Tab, type View } from './view.js';

/** As many outcomes as the service keeps, and the events it rejected meanwhile. */
const maxKept = 3000;

/** The page's state, and everything that can be done to it. */
export class Operations extends ListPage<Outcome, DialogState> {
  readonly service: Service;
  readonly view: Store<View>;
  readonly log: OutcomeLog;
  readonly rates = new Rates();
  readonly lists: Lists;
  #following: AbortController | undefined;
  #listed: { of: readonly unknown[]; rows: readonly Outcome[] } = { of: [], rows: [] };

  constructor(service: Service, setup: ServiceSetup) {
    const log = new OutcomeLog(maxKept);
    super(log, maxKept);
    this.log = log;
    this.service = service;
    const token = recallText('token', 'sessionStorage');
    this.view = new Store<View>({
      ...firstView(setup),
      isLocked: setup.needsToken && token === '',
    });
    service.token = token;
    service.onUnknownToken = () => this.lock();
    this.lists = new Lists(service, this.view);
  }

  /** Begins to follow the service, unless it wants a token first. */
  start(): void {
    if (this.view.value.isLocked) return;
    this.#following = new AbortController();
    const { signal } = this.#following;
    const handlers = {
      opened: () => this.#connected(),
      lost: () => this.view.set({ connection: 'lost' }),
      refused: () => this.lock(),
      deliveries: (rows: Parameters<typeof ofDelivery>[0][]) =>
        this.inbox.push(rows.map(ofDelivery)),
      rejected: (rows: Parameters<typeof ofRejected>[0][]) => this.inbox.push(rows.map(ofRejected)),
      overview: (overview: Overview) => this.#look(overview),
    };
    void follow((abort) => this.service.stream(abort), handlers as never, signal);
  }

  /** Logs in with a token; nothing changes when the service does not know it. */
  async unlock(token: string): Promise<void> {
    this.service.token = token;
    const overview = await this.service.overview();
    remember('token', token, 'sessionStorage');
    this.view.set({ isLocked: false, wasRefused: false });
    this.#look(overview);
    this.start();
  }

  /** Forgets the token, until it is entered again. */
  signOut(): void {
    this.lock(false);
  }

  /** The service does not know the token, or no longer. */
  lock(wasRefused = recallText('token', 'sessionStorage') !== ''): void {
    if (this.view.value.isLocked) return;
    this.#following?.abort();
    remember('token', '', 'sessionStorage');
    this.service.token = '';
    this.view.set({ isLocked: true, wasRefused, dialog: undefined });
  }

  /** The listed outcomes, from the top; the same array until something in it changes. */
  get listed(): readonly Outcome[] {
    const { version, tab, filter, lists, found } = this.view.value;
    const of = [version, tab, filter, lists, found];
    if (of.some((part, index) => part !== this.#listed.of[index])) {
      this.#listed = { of, rows: listed(this.view.value, this.log) };
    }
    return this.#listed.rows;
  }

  get rows(): Rows<Outcome> {
    const { listed: rows } = this;
    return {
      length: rows.length,
      at: (place) => rows[place],
      placeOf: ({ key }) => {
        const place = rows.findIndex((row) => row.key === key);
        return place < 0 ? undefined : place;
      },
    };
  }

  keyOf({ key }: Outcome): string {
    return key;
  }

  /** Only dead letters can be selected. */
  override selectionKeyOf({ deadLetterId }: Outcome): string | null {
    return deadLetterId;
  }

  redeliverSelected(): void {
    this.show({ name: 'redeliver', deadLetters: [...this.view.value.selected.values()] });
  }

  setFilter(change: Partial<Filter>): void {
    const filter = { ...this.view.value.filter, ...change };
    this.view.set({ filter, selected: new Map() });
    this.lists.ask();
  }

  clearFilter(): void {
    this.setFilter(noFilter);
  }

  /** Shows a tab, with a changed filter where a change is given. */
  showTab(tab: Tab, change: Partial<Filter> = {}): void {
    this.view.set({ tab, showsOverview: false, cursor: undefined, selected: new Map() });
    if (Object.keys(change).length > 0) this.setFilter(change);
    this.lists.refresh();
  }

  /** Shows or hides the sources and destinations on a wide page. */
  toggleOverview(): void {
    const hidesOverview = !this.view.value.hidesOverview;
    remember('overview', hidesOverview ? 'hidden' : 'shown');
    this.view.set({ hidesOverview });
  }

  async switchDestination(name: string, enabled: boolean): Promise<void> {
    await this.service.switchDestination(name, enabled);
    this.#look(await this.service.overview());
    this.notify(`${name} is ${enabled ? 'on' : 'off'}`);
  }

  #connected(): void {
    this.connected();
    this.lists.refresh();
  }

  #look(overview: Overview): void {
    this.rates.add(overview, performance.now());
    const isFirst = this.view.value.overview === undefined;
    this.view.set({ overview });
    if (!isFirst && !this.view.value.isPaused) this.lists.refresh();
  }
}
