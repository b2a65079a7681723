import type { Overview, ServiceSetup } from '../../service-api.js';
import { Inbox } from '../../shared/receive/inbox.js';
import { recall, remember } from '../../shared/view/memory.js';
import type { Page } from '../../shared/view/page.js';
import { Store } from '../../shared/view/store.js';
import { applyTheme, nextTheme, themes } from '../../shared/view/theme.js';
import { noFilter, type Filter } from '../filter/filter.js';
import { Book } from '../outcomes/book.js';
import { ofDelivery, ofRejected, type Outcome } from '../outcomes/outcome.js';
import { Rates } from '../overview/rates.js';
import { follow } from '../receive/follow.js';
import type { Service } from '../receive/service.js';
import { forgetToken, keepToken, keptToken } from './kept-token.js';
import { listed } from './listed.js';
import { Lists } from './lists.js';
import { firstView, type DialogState, type Tab, type View } from './view.js';

/** As many as the service keeps, and what it rejected meanwhile. */
const maxKept = 3000;

/** The page's state, and everything that can be done to it. */
export class Operations implements Page {
  readonly service: Service;
  readonly view: Store<View>;
  readonly book = new Book(maxKept);
  readonly rates = new Rates();
  readonly lists: Lists;
  readonly #inbox: Inbox<Outcome>;
  #following: AbortController | undefined;
  /** What comes next replaces what is there: a new connection begins with all that is kept. */
  #isStale = false;
  #notices = 0;
  #listed: { of: readonly unknown[]; rows: readonly Outcome[] } = { of: [], rows: [] };

  constructor(service: Service, setup: ServiceSetup) {
    this.service = service;
    const token = keptToken();
    this.view = new Store<View>({
      ...firstView(setup),
      isLocked: setup.needsToken && token === '',
      theme: recall('theme', themes),
    });
    service.token = token;
    service.onUnknownToken = () => this.lock();
    this.lists = new Lists(service, this.view);
    this.#inbox = new Inbox<Outcome>({
      deliver: (outcomes) => this.#take(outcomes),
      onHeld: (held) => this.view.set({ held }),
      maxWaiting: maxKept,
      nextFrame: (callback) => requestAnimationFrame(callback),
    });
    applyTheme(this.view.value.theme);
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
        this.#inbox.push(rows.map(ofDelivery)),
      rejected: (rows: Parameters<typeof ofRejected>[0][]) =>
        this.#inbox.push(rows.map(ofRejected)),
      overview: (overview: Overview) => this.#look(overview),
    };
    void follow((abort) => this.service.stream(abort), handlers as never, signal);
  }

  /** Tries a token; the page is as it was when the service does not know it. */
  async unlock(token: string): Promise<void> {
    this.service.token = token;
    const overview = await this.service.overview();
    keepToken(token);
    this.view.set({ isLocked: false, wasRefused: false });
    this.#look(overview);
    this.start();
  }

  /** The service does not know the token, or no longer. */
  lock(): void {
    if (this.view.value.isLocked) return;
    const wasRefused = keptToken() !== '';
    this.#following?.abort();
    forgetToken();
    this.service.token = '';
    this.view.set({ isLocked: true, wasRefused, dialog: undefined });
  }

  /** What the list shows, from the top; the same array until something in it has changed. */
  get listed(): readonly Outcome[] {
    const { version, tab, filter, lists, found } = this.view.value;
    const of = [version, tab, filter, lists, found];
    if (of.some((part, index) => part !== this.#listed.of[index])) {
      this.#listed = { of, rows: listed(this.view.value, this.book) };
    }
    return this.#listed.rows;
  }

  setFilter(change: Partial<Filter>): void {
    const filter = { ...this.view.value.filter, ...change };
    this.view.set({ filter, selected: new Map() });
    this.lists.ask();
  }

  clearFilter(): void {
    this.setFilter(noFilter);
  }

  /** Shows a list, narrowed anew where a change is given. */
  showTab(tab: Tab, change: Partial<Filter> = {}): void {
    this.view.set({ tab, showsOverview: false, cursor: undefined, selected: new Map() });
    if (Object.keys(change).length > 0) this.setFilter(change);
    this.lists.refresh();
  }

  togglePause(): void {
    const isPaused = !this.view.value.isPaused;
    this.view.set({ isPaused, held: 0 });
    if (isPaused) this.#inbox.hold();
    else this.#inbox.release();
  }

  nextTheme(): void {
    const theme = nextTheme(this.view.value.theme);
    remember('theme', theme);
    applyTheme(theme);
    this.view.set({ theme });
  }

  show(dialog: DialogState): void {
    this.view.set({ dialog });
  }

  closeDialog(): void {
    this.view.set({ dialog: undefined });
  }

  /** Shows what became of an event, or nothing. */
  open(opened: Outcome | undefined): void {
    this.view.set(opened ? { opened, cursor: opened } : { opened });
  }

  toggleSelected(outcome: Outcome): void {
    const { letterId } = outcome;
    if (letterId === null) return;
    const selected = new Map(this.view.value.selected);
    if (!selected.delete(letterId)) selected.set(letterId, outcome);
    this.view.set({ selected });
  }

  select(outcomes: readonly Outcome[]): void {
    const letters = outcomes.filter(({ letterId }) => letterId !== null);
    this.view.set({ selected: new Map(letters.map((letter) => [letter.letterId!, letter])) });
  }

  async switchDestination(name: string, enabled: boolean): Promise<void> {
    await this.service.switchDestination(name, enabled);
    this.#look(await this.service.overview());
    this.notify(`${name} is ${enabled ? 'on' : 'off'}`);
  }

  notify(text: string): void {
    this.view.set({ notice: { text, id: ++this.#notices } });
  }

  #connected(): void {
    this.#isStale = this.view.value.connection !== 'connecting';
    this.view.set({ connection: 'live' });
    this.#inbox.empty();
    this.lists.refresh();
  }

  #look(overview: Overview): void {
    this.rates.add(overview, performance.now());
    const isFirst = this.view.value.overview === undefined;
    this.view.set({ overview });
    if (!isFirst && !this.view.value.isPaused) this.lists.refresh();
  }

  #take(outcomes: readonly Outcome[]): void {
    if (outcomes.length === 0 && !this.#isStale) return;
    if (this.#isStale) this.book.clear();
    this.#isStale = false;
    this.book.add(outcomes);
    this.view.set({ version: this.view.value.version + 1, held: 0 });
  }
}
