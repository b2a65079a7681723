import { Icon } from '../shared/controls/icon.js';
import { countOf, countText } from '../shared/text/format.js';
import { useInspector, useView } from '../view/use-view.js';
import { isNarrowed } from './filter.js';
import { Filters } from './filters.js';

/** Search, filters, and how the list behaves. */
export function Toolbar() {
  const inspector = useInspector();
  const filter = useView((view) => view.filter);
  const order = useView((view) => view.order);
  const showsFilters = useView((view) => view.showsFilters);
  const isNewestFirst = order === 'newest-first';
  return (
    <div class="toolbar" role="search" aria-label="Requests">
      <label class="search">
        <Icon name="search" />
        <input
          id="search"
          type="search"
          aria-label="Search name, user, path and messageId"
          placeholder="Search name, user, path, messageId"
          autocomplete="off"
          spellcheck={false}
          value={filter.text}
          onInput={(event) => inspector.setFilter({ text: event.currentTarget.value })}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <button
        class="icon-button filter-toggle"
        aria-label="Filters"
        aria-expanded={showsFilters}
        onClick={() => inspector.view.set({ showsFilters: !showsFilters })}
      >
        <Icon name="filter" />
      </button>
      <Filters />
      {isNarrowed(filter) && (
        <button class="link" onClick={() => inspector.clearFilter()}>
          Show all
        </button>
      )}
      <Count />
      <button
        class="icon-button"
        aria-label={isNewestFirst ? 'Newest on top' : 'Newest at the bottom'}
        title={isNewestFirst ? 'Newest on top' : 'Newest at the bottom'}
        onClick={() => inspector.toggleOrder()}
      >
        <Icon name={isNewestFirst ? 'up' : 'down'} />
      </button>
      <Pause />
    </div>
  );
}

function Count() {
  const { log } = useInspector();
  const filter = useView((view) => view.filter);
  const stats = useView((view) => view.stats);
  useView((view) => view.version);
  const received = stats?.requests ?? log.kept.length;
  const kept = log.kept.length;
  return (
    <p class="count">
      {isNarrowed(filter) && <>{countText(log.matching.length)} of </>}
      {received > kept && kept > 0 && !isNarrowed(filter) && <>newest {countText(kept)} of </>}
      <b>{countOf(received, 'request')}</b>
    </p>
  );
}

function Pause() {
  const inspector = useInspector();
  const isPaused = useView((view) => view.isPaused);
  const held = useView((view) => view.held);
  return (
    <button
      class={isPaused ? 'button paused' : 'button'}
      aria-pressed={isPaused}
      title={isPaused ? 'Go on (p)' : 'Pause (p)'}
      onClick={() => inspector.togglePause()}
    >
      <Icon name={isPaused ? 'play' : 'pause'} />
      {isPaused ? `Paused${held > 0 ? `, ${countText(held)} wait` : ''}` : 'Pause'}
    </button>
  );
}
