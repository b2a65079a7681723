import { Icon } from '../../shared/controls/icon.js';
import { countOf, countText } from '../../shared/text/format.js';
import { useListed, useOperations, useView } from '../view/use-view.js';
import { isNarrowed } from './filter.js';
import { Filters } from './filters.js';

/** Search, filters, and what can be done with all that they let through. */
export function Toolbar() {
  const operations = useOperations();
  const filter = useView((view) => view.filter);
  const tab = useView((view) => view.tab);
  const showsFilters = useView((view) => view.showsFilters);
  const search = (text: string): void => {
    // The first list answers the search from all that is known.
    if (operations.view.value.filter.search === '') operations.showTab('events');
    operations.setFilter({ search: text });
  };
  return (
    <div class="toolbar" role="search" aria-label="Events">
      <label class="search">
        <Icon name="search" />
        <input
          id="search"
          type="search"
          aria-label="Search messageId, user, event and reason"
          placeholder="Why did it not arrive? messageId or user"
          autocomplete="off"
          spellcheck={false}
          value={filter.search}
          onInput={(event) => search(event.currentTarget.value)}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <button
        class="icon-button filter-toggle"
        aria-label="Filters"
        aria-expanded={showsFilters}
        onClick={() => operations.view.set({ showsFilters: !showsFilters })}
      >
        <Icon name="filter" />
      </button>
      <Filters />
      {isNarrowed(filter) && (
        <button class="link" onClick={() => operations.clearFilter()}>
          Show all
        </button>
      )}
      <Count />
      {tab === 'events' && <Pause />}
      {tab === 'dead-letters' && <RedeliverAll />}
    </div>
  );
}

function Count() {
  const rows = useListed();
  const tab = useView((view) => view.tab);
  const lists = useView((view) => view.lists);
  const isMore = tab !== 'events' && lists[tab].next !== null;
  return (
    <p class="count">
      <b>
        {countText(rows.length)}
        {isMore && '+'}
      </b>{' '}
      listed
    </p>
  );
}

function Pause() {
  const operations = useOperations();
  const isPaused = useView((view) => view.isPaused);
  const held = useView((view) => view.held);
  return (
    <button
      class={isPaused ? 'button paused' : 'button'}
      aria-pressed={isPaused}
      title={isPaused ? 'Go on (p)' : 'Pause (p)'}
      onClick={() => operations.togglePause()}
    >
      <Icon name={isPaused ? 'play' : 'pause'} />
      {isPaused ? `Paused${held > 0 ? `, ${countText(held)} wait` : ''}` : 'Pause'}
    </button>
  );
}

function RedeliverAll() {
  const operations = useOperations();
  const rows = useListed();
  const isMore = useView((view) => view.lists['dead-letters'].next !== null);
  if (rows.length === 0) return null;
  return (
    <button
      class="button"
      onClick={() => operations.show({ name: 'redeliver', letters: 'all-listed' })}
    >
      <Icon name="replay" />
      Redeliver {isMore ? 'all' : countOf(rows.length, 'letter')}
    </button>
  );
}
