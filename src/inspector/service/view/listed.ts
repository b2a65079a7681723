import { matcher, wanted } from '../filter/filter.js';
import type { Book } from '../outcomes/book.js';
import { mergeOutcomes } from '../outcomes/merge.js';
import type { Outcome } from '../outcomes/outcome.js';
import type { View } from './view.js';

/** What the list of the page shows, from the top. */
export function listed(view: View, book: Book): readonly Outcome[] {
  const { tab, filter, lists } = view;
  if (tab !== 'events') {
    // The service has searched already, and its search may know more than the page.
    const isListed = matcher({ ...filter, search: '', state: undefined, destination: undefined });
    return lists[tab].rows.filter(isListed);
  }
  const live = book.toArray();
  const { waiting, rejected } = lists;
  if (wanted(filter) === '') {
    return mergeOutcomes([live, rejected.rows]).filter(matcher(filter));
  }
  const isListed = matcher({ ...filter, search: '' });
  const loaded = [waiting, lists['dead-letters'], rejected].flatMap(({ rows, isCurrent }) =>
    isCurrent ? rows.filter(isListed) : [],
  );
  return mergeOutcomes([live.filter(matcher(filter)), loaded]);
}
