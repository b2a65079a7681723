import { countText } from '../../shared/text/format.js';
import { type Counted, countOf } from '../view/counts.js';
import { useOperations } from '../view/operations.js';
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
          <Count counted={countOf(tab, operations)} />
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

function Count({ counted }: { readonly counted: Counted | undefined }) {
  if (counted === undefined || counted.count === 0) return null;
  const { count, isMore } = counted;
  return (
    <span class="tab-count">
      {countText(count)}
      {isMore && '+'}
    </span>
  );
}
