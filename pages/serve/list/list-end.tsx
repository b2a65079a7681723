import { useOperations, useView } from '../view/use-view.js';

/** Loads the next page, below the last row. */
export function ListEnd() {
  const operations = useOperations();
  const tab = useView((view) => view.tab);
  const lists = useView((view) => view.lists);
  if (tab === 'events' || lists[tab].next === null) return null;
  return (
    <p class="list-end">
      <button class="button" onClick={() => void operations.lists.more(tab)}>
        Show more
      </button>
    </p>
  );
}
