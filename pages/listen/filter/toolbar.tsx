import { Icon } from '../../shared/controls/icon.js';
import { Pause, Toolbar as FrameToolbar } from '../../shared/frame/toolbar.js';
import { countOf, countText } from '../../shared/text/format.js';
import { useInspector } from '../view/inspector.js';
import { parseQuery, termText, withoutTerm } from './query.js';
import { Filters } from './filters.js';

/** Search, filters, and the order of the list. */
export function Toolbar() {
  const inspector = useInspector();
  const { value: query } = inspector.query;
  const isNewestFirst = inspector.order.value === 'newest-first';
  const order = isNewestFirst ? 'Newest on top' : 'Newest at the bottom';
  return (
    <FrameToolbar
      label="Requests"
      searched="Search requests"
      placeholder="Search, or status:5xx -path:/health"
      search={query}
      onSearch={(text) => inspector.setQuery(text)}
      filters={<Filters />}
      inUse={parseQuery(query)
        .filter(({ field }) => field !== 'text')
        .map((term) => ({
          text: termText(term),
          remove: () => inspector.setQuery(withoutTerm(query, term)),
        }))}
      isNarrowed={isNarrowed(query)}
      count={<Count />}
    >
      <button
        class="icon-button"
        aria-label={order}
        title={order}
        onClick={() => inspector.toggleOrder()}
      >
        <Icon name={isNewestFirst ? 'up' : 'down'} />
      </button>
      <Pause />
    </FrameToolbar>
  );
}

function Count() {
  const inspector = useInspector();
  const { log } = inspector;
  const { value: query } = inspector.query;
  const { value: stats } = inspector.stats;
  const received = stats?.requests ?? log.kept.length;
  const kept = log.kept.length;
  return (
    <>
      {isNarrowed(query) && <>{countText(log.matching.length)} of </>}
      {received > kept && kept > 0 && !isNarrowed(query) && <>newest {countText(kept)} of </>}
      <b>{countOf(received, 'request')}</b>
    </>
  );
}

function isNarrowed(query: string): boolean {
  return parseQuery(query).length > 0;
}
