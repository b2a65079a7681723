import { momentText } from '../../shared/text/moment.js';
import { Received } from '../../shared/text/received.js';
import { isNarrowed, noFilter, wanted } from '../filter/filter.js';
import { agoText } from '../outcomes/span.js';
import { useNow, useOperations, useView } from '../view/use-view.js';
import { listNames } from '../view/view.js';
import { explanations } from './explanations.js';

/** Stands where the list would be when a search finds nothing: where the event may be instead. */
export function NothingFound() {
  const operations = useOperations();
  const filter = useView((view) => view.filter);
  const lists = useView((view) => view.lists);
  const overview = useView((view) => view.overview);
  const now = useNow();
  const isSearching = listNames.some((name) => !lists[name].isCurrent);
  const error = listNames.map((name) => lists[name].error).find((text) => text !== undefined);
  const hasFilters = isNarrowed({ ...filter, search: noFilter.search });
  if (error !== undefined) {
    return (
      <div class="no-match">
        <p role="alert">{error}</p>
      </div>
    );
  }
  if (isSearching || !overview) return <p class="no-match">Searching …</p>;
  const oldest = operations.book.toArray().at(-1);
  return (
    <div class="no-match nothing-found">
      <h2>
        No event has “<Received text={wanted(filter)} />”
      </h2>
      {hasFilters && (
        <p>
          Filters are on, too.{' '}
          <button
            class="link"
            onClick={() => operations.setFilter({ ...noFilter, search: filter.search })}
          >
            Search without them
          </button>
        </p>
      )}
      <p>
        It is not waiting, not given up, and not among the newest events. So, most likely first:
      </p>
      <ul>
        {explanations(overview, (iso) => agoText(iso, now)).map((text) => (
          <li key={text}>
            <Received text={text} />
          </li>
        ))}
        {oldest && (
          <li>
            It was delivered before {momentText(oldest.at, now)}: what was delivered earlier is no
            longer listed.
          </li>
        )}
      </ul>
    </div>
  );
}
