import { countText } from '../../shared/text/format.js';
import { searchText } from '../filter/filter.js';
import type { Tab } from '../view/lists.js';
import { type Operations, useOperations } from '../view/operations.js';
import { tabs } from './keys.js';

/** The lists to choose from, with how many there are in each; on a narrow page the overview, too. */
export function Tabs() {
  const operations = useOperations();
  const chosen = operations.tab.value;
  const { value: showsOverview } = operations.showsOverview;
  return (
    <nav class="tabs" aria-label="Lists">
      <button
        class="narrow-only"
        aria-current={showsOverview}
        onClick={() => (operations.showsOverview.value = true)}
      >
        Overview
      </button>
      {tabs.map(({ tab, title }) => (
        <button
          key={tab}
          class={showsOverview ? 'under-overview' : ''}
          aria-current={tab === chosen}
          onClick={() => operations.showTab(tab)}
        >
          {title}
          <Count {...countOf(tab, operations)} />
        </button>
      ))}
      <OverviewToggle />
    </nav>
  );
}

/** On a wide page, makes room for the list. */
function OverviewToggle() {
  const operations = useOperations();
  const isHidden = operations.hidesOverview.value;
  return (
    <button
      class="overview-toggle"
      aria-expanded={!isHidden}
      title={`${isHidden ? 'Show' : 'Hide'} the sources and destinations (o)`}
      onClick={() => operations.toggleOverview()}
    >
      {isHidden ? 'Show overview' : 'Hide overview'}
    </button>
  );
}

interface Counted {
  readonly count: number;
  readonly isMore: boolean;
}

function Count({ count, isMore }: Counted) {
  if (count === 0) return null;
  return (
    <span class="tab-count">
      {countText(count)}
      {isMore && '+'}
    </span>
  );
}

const stateOf = { waiting: 'retrying', 'dead-letters': 'failed', rejected: 'rejected' } as const;

/** All there are, or those that are found. */
function countOf(tab: Tab, { filter, lists, overview }: Operations): Counted {
  if (tab === 'events') return { count: 0, isMore: false };
  if (searchText(filter.value) !== '') {
    const { result } = lists.found.value;
    const found = result?.events.filter(({ state }) => state === stateOf[tab]) ?? [];
    return { count: found.length, isMore: result?.isComplete === false };
  }
  const { sources = [], destinations = [] } = overview.value ?? {};
  const counts: Readonly<Record<Exclude<Tab, 'events'>, readonly number[]>> = {
    waiting: destinations.map(({ retrying }) => retrying),
    'dead-letters': destinations.map(({ deadLetters }) => deadLetters),
    rejected: sources.map(({ rejected }) => rejected),
  };
  return { count: counts[tab].reduce((sum, count) => sum + count, 0), isMore: false };
}
