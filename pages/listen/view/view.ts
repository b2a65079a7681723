import type { FaultPlan, PageSetup, RequestRow, Stats } from '../../../src/api/listen.js';
import type { ListView } from '../../shared/view/list-view.js';

export type DialogName = 'faults' | 'replay' | 'edit' | 'compare' | 'clear' | 'help';

/** All that the page shows, but for the requests themselves: those are in the `RequestLog`. */
export interface View extends ListView<RequestRow, { readonly name: DialogName }> {
  readonly setup: PageSetup;
  readonly stats: Stats | undefined;
  /** The search with all filters, as it is written: see `parseQuery`. */
  readonly query: string;
  readonly order: 'newest-first' | 'oldest-first';
  readonly faults: FaultPlan | undefined;
  readonly showsCharts: boolean;
}
