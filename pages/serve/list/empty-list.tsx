import { NoMatch } from '../../shared/list/no-match.js';
import { useOperations, useView } from '../view/use-view.js';
import type { Tab } from '../view/view.js';

const words: Readonly<Record<Tab, string>> = {
  events: 'No events received since the service started.',
  waiting: 'No events are waiting for a retry.',
  'dead-letters': 'No dead letters.',
  rejected: 'No rejected events.',
};

/** Shown in place of the rows when there are none. */
export function EmptyList({ isNarrowed }: { readonly isNarrowed: boolean }) {
  const operations = useOperations();
  const tab = useView((view) => view.tab);
  const error = useView((view) => (tab === 'events' ? undefined : view.lists[tab].error));
  const isLoading = useView((view) => tab !== 'events' && !view.lists[tab].isCurrent);
  if (error !== undefined) {
    return (
      <NoMatch action="Try again" onAction={() => operations.lists.refresh()}>
        <p role="alert">{error}</p>
      </NoMatch>
    );
  }
  if (isLoading) return null;
  if (!isNarrowed) {
    return (
      <NoMatch>
        <p>{words[tab]}</p>
      </NoMatch>
    );
  }
  return (
    <NoMatch action="Show all" onAction={() => operations.clearFilter()}>
      <p>No events match the filters.</p>
    </NoMatch>
  );
}
