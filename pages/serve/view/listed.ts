import { matcher, wanted } from '../filter/filter.js';
import type { OutcomeLog } from '../outcomes/outcome-log.js';
import { mergeOutcomes, newestOf } from '../outcomes/merge.js';
import type { Outcome } from '../outcomes/outcome.js';
import type { View } from './view.js';

/** The listed outcomes, from the top. */
export function listed(view: View, log: OutcomeLog): readonly Outcome[] {
  const { tab, filter, lists, found } = view;
  if (tab !== 'events') {
    // The service has searched already, and its search may know more than the page.
    const isListed = matcher({ ...filter, search: '', state: undefined, destination: undefined });
    return lists[tab].rows.filter(isListed);
  }
  const live = log.toArray();
  if (wanted(filter) === '') {
    return mergeOutcomes([live, lists.rejected.rows]).filter(matcher(filter));
  }
  const isListed = matcher({ ...filter, search: '' });
  const rows = found.isCurrent ? found.rows : [];
  return newestOf([...live.filter(matcher({ ...filter, state: undefined })), ...rows]).filter(
    isListed,
  );
}
