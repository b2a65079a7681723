import type { Overview, SearchResult, ServiceSetup } from '../../../src/api/serve.js';
import { firstListView, type ListView } from '../../shared/view/list-view.js';
import { recall } from '../../shared/view/memory.js';
import { noFilter, type Filter } from '../filter/filter.js';
import type { Outcome } from '../outcomes/outcome.js';
import type { ListRows } from '../receive/service.js';

/** `events`: what becomes of events, live; the others are the lists of the service. */
export type Tab = 'events' | keyof ListRows;

export const listNames = ['waiting', 'dead-letters', 'rejected'] as const;

/** What is loaded of a list of the service. */
export interface Loaded {
  readonly rows: readonly Outcome[];
  /** Where the next page begins; null behind the last one. */
  readonly next: string | null;
  /** Rows in all, whatever is searched for. */
  readonly total: number;
  /** Whether it belongs to the current query. */
  readonly isCurrent: boolean;
  readonly error: string | undefined;
}

/** The result of a search. */
export interface Found {
  readonly rows: readonly Outcome[];
  readonly result: SearchResult | undefined;
  /** Whether it belongs to the current query. */
  readonly isCurrent: boolean;
  readonly error: string | undefined;
}

export type DialogState =
  | { readonly name: 'help' }
  | { readonly name: 'delete-user' }
  | { readonly name: 'states' }
  | { readonly name: 'last-failure'; readonly destination: string }
  | { readonly name: 'test'; readonly destination: string }
  | { readonly name: 'turn-off'; readonly destination: string }
  | { readonly name: 'redeliver'; readonly deadLetters: readonly Outcome[] | 'all-listed' };

/** All that the page shows, but for the live outcomes: those are in the `OutcomeLog`. */
export interface View extends ListView<Outcome, DialogState> {
  readonly setup: ServiceSetup;
  /** The service wants a token that the page does not have. */
  readonly isLocked: boolean;
  readonly wasRefused: boolean;
  readonly overview: Overview | undefined;
  readonly tab: Tab;
  readonly filter: Filter;
  readonly lists: Readonly<Record<keyof ListRows, Loaded>>;
  readonly found: Found;
  /** On a wide page; remembered. */
  readonly hidesOverview: boolean;
  /** On a narrow page the overview takes the place of the list. */
  readonly showsOverview: boolean;
}

export const nothingLoaded: Loaded = {
  rows: [],
  next: null,
  total: 0,
  isCurrent: false,
  error: undefined,
};

export const nothingFound: Found = {
  rows: [],
  result: undefined,
  isCurrent: false,
  error: undefined,
};

export function firstView(setup: ServiceSetup): Omit<View, 'isLocked'> {
  return {
    ...firstListView(),
    setup,
    wasRefused: false,
    overview: undefined,
    tab: 'events',
    filter: noFilter,
    lists: { waiting: nothingLoaded, 'dead-letters': nothingLoaded, rejected: nothingLoaded },
    found: nothingFound,
    showsOverview: true,
    hidesOverview: recall('overview', ['shown', 'hidden']) === 'hidden',
  };
}
