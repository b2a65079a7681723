import type { FaultPlan, PageSetup, RequestRow, Stats } from '../../../src/api/listen.js';
import type { Filter } from '../filter/filter.js';
import type { ListView } from '../../shared/view/list-view.js';

export type DialogName = 'faults' | 'replay' | 'clear' | 'help';

/** All that the page shows, but for the requests themselves: those are in the `RequestLog`. */
export interface View extends ListView<RequestRow, { readonly name: DialogName }> {
  readonly setup: PageSetup;
  readonly stats: Stats | undefined;
  readonly filter: Filter;
  readonly order: 'newest-first' | 'oldest-first';
  readonly faults: FaultPlan | undefined;
  readonly showsCharts: boolean;
}
