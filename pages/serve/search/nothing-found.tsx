import { timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { isNarrowed, noFilter, wanted } from '../filter/filter.js';
import { agoText } from '../outcomes/span.js';
import { useNow, useOperations } from '../view/operations.js';
import { explanations } from './explanations.js';

/** Shown in place of the list when a search finds nothing: what may have happened to the event. */
export function NothingFound() {
  const operations = useOperations();
  const { value: filter } = operations.filter;
  const { isCurrent, error, result } = operations.lists.found.value;
  const { value: overview } = operations.overview;
  const now = useNow();
  const hasFilters = isNarrowed({ ...filter, search: noFilter.search });
  if (error !== undefined) {
    return (
      <div class="no-match">
        <p role="alert">{error}</p>
      </div>
    );
  }
  if (!isCurrent || !result || !overview) return <p class="no-match">Searching …</p>;
  const times = {
    ago: (iso: string) => agoText(iso, now),
    timestamp: (iso: string) => timestampText(iso, now),
  };
  return (
    <div class="no-match nothing-found">
      <h2>
        {result.seen.length > 0 ? 'No record of' : 'No event has'} “
        <Received text={wanted(filter)} />”
      </h2>
      {hasFilters && (
        <p>
          Filters are active.{' '}
          <button
            class="link"
            onClick={() => operations.setFilter({ ...noFilter, search: filter.search })}
          >
            Search without them
          </button>
        </p>
      )}
      {result.seen.length === 0 && (
        <p>
          It is not queued, waiting, failed, rejected or skipped, and it is not in the history.
          Possible reasons, the most likely first:
        </p>
      )}
      <ul>
        {explanations(overview, result, times).map((text) => (
          <li key={text}>
            <Received text={text} />
          </li>
        ))}
      </ul>
    </div>
  );
}
