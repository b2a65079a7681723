import type { EventAtDestination, EventState } from '../../../src/api/serve.js';
import { searchText } from '../filter/filter.js';
import { stateWords } from '../list/outcome-word.js';
import { countOf, countText } from '../../shared/text/format.js';
import { useOperations } from '../view/operations.js';
import { EventDeliveries } from './event-deliveries.js';

/** Sums up the results of a search: the deliveries of one event, or the number of outcomes. */
export function SearchSummary() {
  const operations = useOperations();
  const { value: tab } = operations.tab;
  const { value: filter } = operations.filter;
  const { isCurrent, result } = operations.lists.found.value;
  const isPartial = isCurrent && result?.isComplete === false;
  const rows = operations.listed.value;
  const [first] = rows;
  if (!first || tab !== 'events' || searchText(filter) === '') return null;
  const isOne = rows.every((row) => row.messageId === first.messageId) && first.messageId !== null;
  // The details show the same.
  if (isOne && operations.opened.value) return null;
  return (
    <div class="search-summary" role="status">
      {isOne ? <EventDeliveries outcomes={rows} /> : <Sum rows={rows} />}
      {isPartial && (
        <p class="quiet">
          There are more results; search for a whole messageId or use a filter to find the rest.
        </p>
      )}
    </div>
  );
}

/** The states whose word is a noun; the others have no plural. */
const nouns: ReadonlySet<EventState> = new Set(['failed', 'repeated']);

function Sum({ rows }: { readonly rows: readonly EventAtDestination[] }) {
  const operations = useOperations();
  const events = new Set(rows.map(({ messageId, id }) => messageId ?? id)).size;
  const counts = stateWords
    .map(([state, word]) => ({
      state,
      word,
      count: rows.filter((row) => row.state === state).length,
    }))
    .filter(({ count }) => count > 0);
  return (
    <p class="sum">
      <b>{countOf(events, 'event')}</b>:{' '}
      {counts.map(({ state, word, count }) => (
        <button class="link" key={state} onClick={() => operations.setFilter({ state })}>
          {nouns.has(state) ? countOf(count, word) : `${countText(count)} ${word}`}
        </button>
      ))}
    </p>
  );
}
