import type { FaultPlan, PageSetup, RequestRow, Stats } from '../api.js';
import { noFilter, type Filter } from '../filter/filter.js';
import type { Notice } from '../shared/view/page.js';
import type { Theme } from '../shared/view/theme.js';

export type DialogName = 'faults' | 'replay' | 'clear' | 'help';

/** All that the page shows, but for the requests themselves: those are in the `RequestLog`. */
export interface View {
  readonly setup: PageSetup;
  readonly connection: 'connecting' | 'live' | 'lost';
  readonly stats: Stats | undefined;
  /** Changes with the requests in the log. */
  readonly version: number;
  readonly filter: Filter;
  readonly order: 'newest-first' | 'oldest-first';
  readonly isPaused: boolean;
  /** Requests that wait for the end of the pause. */
  readonly held: number;
  /** The row that the keyboard is on. */
  readonly cursor: RequestRow | undefined;
  /** How often the keyboard has moved: each time the row is brought into sight. */
  readonly moves: number;
  /** The request whose detail is shown. */
  readonly opened: RequestRow | undefined;
  /** Chosen to be replayed, by sequence. */
  readonly selected: ReadonlyMap<number, RequestRow>;
  readonly faults: FaultPlan | undefined;
  readonly dialog: DialogName | undefined;
  readonly showsPictures: boolean;
  readonly showsFilters: boolean;
  readonly theme: Theme;
  readonly notice: Notice | undefined;
}

export function firstView(setup: PageSetup): Omit<View, 'theme' | 'order' | 'showsPictures'> {
  return {
    setup,
    connection: 'connecting',
    stats: undefined,
    version: 0,
    filter: noFilter,
    isPaused: false,
    held: 0,
    cursor: undefined,
    moves: 0,
    opened: undefined,
    selected: new Map(),
    faults: undefined,
    dialog: undefined,
    showsFilters: false,
    notice: undefined,
  };
}
