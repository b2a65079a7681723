import { NoMatch } from '../../shared/list/list.js';
import type { Tab } from '../view/lists.js';
import { useOperations } from '../view/operations.js';

const words: Readonly<Record<Tab, string>> = {
  events: 'No events received since the service started.',
  waiting: 'No events are waiting for a retry.',
  'dead-letters': 'No dead letters.',
  rejected: 'No rejected events.',
};

/** Shown in place of the rows when there are none. */
export function EmptyList({ isNarrowed }: { readonly isNarrowed: boolean }) {
  const operations = useOperations();
  const { value: tab } = operations.tab;
  const loaded = tab === 'events' ? undefined : operations.lists[tab].value;
  if (loaded?.error !== undefined) {
    return (
      <NoMatch action="Try again" onAction={() => operations.lists.refresh()}>
        <p role="alert">{loaded.error}</p>
      </NoMatch>
    );
  }
  if (loaded?.isCurrent === false) return null;
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
