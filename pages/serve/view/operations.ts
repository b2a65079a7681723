import { computed, signal } from '@preact/signals';
import { useEffect, useReducer } from 'preact/hooks';
import { newestRecords } from '../../../src/api/newest-records.js';
import type { EventAtDestination, Overview, ServiceSetup } from '../../../src/api/serve.js';
import type { Rows } from '../../shared/list/rows.js';
import { ListPage } from '../../shared/view/list-page.js';
import { recall, recallText, remember } from '../../shared/view/memory.js';
import { usePageOf } from '../../shared/view/page.js';
import { matcher, noFilter, searchText, type Filter } from '../filter/filter.js';
import { OutcomeLog } from '../outcomes/outcome-log.js';
import { Rates } from '../overview/rates.js';
import { follow, type FollowHandlers } from '../receive/follow.js';
import type { Service } from '../receive/service.js';
import { Lists, type Tab } from './lists.js';
import { Replays } from './replays.js';

/** As many outcomes as the service keeps, and the events it rejected meanwhile. */
const maxKept = 3000;

export type DialogState =
  | { readonly name: 'help' }
  | { readonly name: 'delete-user' }
  | { readonly name: 'states' }
  | { readonly name: 'last-failure'; readonly destination: string }
  | { readonly name: 'test'; readonly destination: string }
  | { readonly name: 'turn-off'; readonly destination: string }
  | { readonly name: 'replays' }
  | { readonly name: 'replay'; readonly destination?: string }
  | { readonly name: 'stop-replay'; readonly id: string }
  | {
      readonly name: 'redeliver';
      readonly deadLetters: readonly EventAtDestination[] | 'all-listed';
    };

/** The page's state, and everything that can be done to it. */
export class Operations extends ListPage<EventAtDestination, DialogState> {
  readonly service: Service;
  readonly setup: ServiceSetup;
  readonly rates = new Rates();
  /** The service wants a token that the page does not have. */
  readonly isLocked = signal(false);
  readonly wasRefused = signal(false);
  readonly overview = signal<Overview | undefined>(undefined);
  readonly tab = signal<Tab>('events');
  readonly filter = signal(noFilter);
  /** On a wide page; remembered. */
  readonly hidesOverview = signal(recall('overview', ['shown', 'hidden']) === 'hidden');
  /** On a narrow page the overview takes the place of the list. */
  readonly showsOverview = signal(true);
  readonly lists: Lists;
  readonly replays: Replays;
  /** The listed outcomes, from the top. */
  readonly listed = computed(() => this.#list());
  readonly #log: OutcomeLog;
  #following: AbortController | undefined;
  #overviewAt = 0;

  constructor(service: Service, setup: ServiceSetup) {
    const log = new OutcomeLog(maxKept);
    super(log, maxKept);
    this.#log = log;
    this.service = service;
    this.setup = setup;
    const token = recallText('token', 'sessionStorage');
    this.isLocked.value = setup.needsToken && token === '';
    service.token = token;
    service.onInvalidToken = () => this.lock();
    this.lists = new Lists(service, this.tab, this.filter);
    this.replays = new Replays(service, (text) => this.notify(text));
  }

  /** The live outcomes: what reads them while it is rendered is rendered again when there are others. */
  get log(): OutcomeLog {
    // Reading a signal is what subscribes to it.
    this.version.valueOf();
    return this.#log;
  }

  /** Begins to follow the service, unless it wants a token first. */
  start(): void {
    if (this.isLocked.value) return;
    const following = (this.#following = new AbortController());
    const handlers: FollowHandlers = {
      opened: () => this.#connected(),
      lost: () => (this.connection.value = 'lost'),
      refused: () => this.lock(),
      deliveries: (rows) => this.inbox.push(rows),
      rejected: (rows) => this.inbox.push(rows),
      overview: (overview) => this.#showOverview(overview),
    };
    void follow((abort) => this.service.stream(abort), handlers, following.signal);
  }

  /** Logs in with a token; nothing changes when the service does not know it. */
  async unlock(token: string): Promise<void> {
    this.service.token = token;
    const overview = await this.service.overview();
    remember('token', token, 'sessionStorage');
    this.isLocked.value = false;
    this.wasRefused.value = false;
    this.#showOverview(overview);
    this.start();
  }

  /** Forgets the token, until it is entered again. */
  signOut(): void {
    this.lock(false);
  }

  /** The service does not know the token, or no longer. */
  lock(wasRefused = recallText('token', 'sessionStorage') !== ''): void {
    if (this.isLocked.value) return;
    this.#following?.abort();
    remember('token', '', 'sessionStorage');
    this.service.token = '';
    this.isLocked.value = true;
    this.wasRefused.value = wasRefused;
    this.dialog.value = undefined;
  }

  get rows(): Rows<EventAtDestination> {
    const { value: rows } = this.listed;
    return {
      length: rows.length,
      at: (index) => rows[index],
      indexOf: ({ id }) => {
        const index = rows.findIndex((row) => row.id === id);
        return index < 0 ? undefined : index;
      },
    };
  }

  keyOf({ id }: EventAtDestination): string {
    return id;
  }

  /** Only dead letters can be selected. */
  override selectionKeyOf({ id, state }: EventAtDestination): string | null {
    return state === 'failed' ? id : null;
  }

  redeliverSelected(): void {
    this.show({ name: 'redeliver', deadLetters: [...this.selected.value.values()] });
  }

  setFilter(change: Partial<Filter>): void {
    this.filter.value = { ...this.filter.value, ...change };
    this.selected.value = new Map();
    this.lists.invalidate();
  }

  clearFilter(): void {
    this.setFilter(noFilter);
  }

  /** Shows a tab, with a changed filter where a change is given. */
  showTab(tab: Tab, change: Partial<Filter> = {}): void {
    this.tab.value = tab;
    this.showsOverview.value = false;
    this.cursor.value = undefined;
    this.selected.value = new Map();
    if (Object.keys(change).length > 0) this.setFilter(change);
    this.lists.refresh();
  }

  /** Shows or hides the sources and destinations on a wide page. */
  toggleOverview(): void {
    const hidesOverview = !this.hidesOverview.value;
    remember('overview', hidesOverview ? 'hidden' : 'shown');
    this.hidesOverview.value = hidesOverview;
  }

  async switchDestination(name: string, enabled: boolean): Promise<void> {
    await this.service.switchDestination(name, enabled);
    this.#showOverview(await this.service.overview());
    this.notify(`${name} is ${enabled ? 'on' : 'off'}`);
  }

  #connected(): void {
    this.connected();
    this.lists.refresh();
  }

  /** How long ago the overview was sent. */
  get overviewAgeMs(): number {
    return performance.now() - this.#overviewAt;
  }

  #showOverview(overview: Overview): void {
    this.#overviewAt = performance.now();
    this.rates.add(overview, performance.now());
    const isFirst = this.overview.value === undefined;
    this.overview.value = overview;
    this.replays.update(overview.kept);
    if (!isFirst && !this.isPaused.value) this.lists.refresh();
  }

  #list(): readonly EventAtDestination[] {
    const { value: tab } = this.tab;
    const { value: filter } = this.filter;
    if (tab !== 'events') {
      // The service has searched already, and its search may know more than the page.
      const isListed = matcher({ ...filter, search: '', state: undefined, destination: undefined });
      return this.lists[tab].value.rows.filter(isListed);
    }
    const live = this.log.toArray();
    if (searchText(filter) === '') {
      const { rows: rejected } = this.lists.rejected.value;
      const all = rejected.length === 0 ? live : newestRecords([...live, ...rejected]);
      return all.filter(matcher(filter));
    }
    const { isCurrent, result } = this.lists.found.value;
    const matching = live.filter(matcher({ ...filter, state: undefined }));
    return newestRecords([...matching, ...(isCurrent && result ? result.events : [])]).filter(
      matcher({ ...filter, search: '' }),
    );
  }
}

/** The page's one state. */
export function useOperations(): Operations {
  return usePageOf(Operations);
}

/** The time, in milliseconds, updated each second. */
export function useNow(): number {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => redraw(undefined), 1000);
    return () => clearInterval(timer);
  }, []);
  return Date.now();
}
