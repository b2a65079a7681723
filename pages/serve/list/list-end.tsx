import { useOperations } from '../view/operations.js';

/** Loads the next page, below the last row. */
export function ListEnd() {
  const operations = useOperations();
  const { value: tab } = operations.tab;
  if (tab === 'events' || operations.lists[tab].value.next === null) return null;
  return (
    <p class="list-end">
      <button class="button" onClick={() => void operations.lists.more(tab)}>
        Show more
      </button>
    </p>
  );
}
