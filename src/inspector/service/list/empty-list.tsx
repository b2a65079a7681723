import type { Tab } from '../view/view.js';
import { useOperations, useView } from '../view/use-view.js';

const words: Readonly<Record<Tab, string>> = {
  events: 'Nothing has come since the service was started.',
  waiting: 'No event waits for another try.',
  'dead-letters': 'No dead letters: nothing was given up.',
  rejected: 'No event was rejected.',
};

/** Stands where the list would be when there is nothing in it. */
export function EmptyList({ isNarrowed }: { readonly isNarrowed: boolean }) {
  const operations = useOperations();
  const tab = useView((view) => view.tab);
  const error = useView((view) => (tab === 'events' ? undefined : view.lists[tab].error));
  const isLoading = useView((view) => tab !== 'events' && !view.lists[tab].isCurrent);
  if (error !== undefined) {
    return (
      <div class="no-match">
        <p role="alert">{error}</p>
        <button class="button" onClick={() => operations.lists.refresh()}>
          Try again
        </button>
      </div>
    );
  }
  if (isLoading) return null;
  return (
    <div class="no-match">
      <p>{isNarrowed ? 'Nothing matches the filters.' : words[tab]}</p>
      {isNarrowed && (
        <button class="button" onClick={() => operations.clearFilter()}>
          Show all
        </button>
      )}
    </div>
  );
}
