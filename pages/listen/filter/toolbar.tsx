import { Icon } from '../../shared/controls/icon.js';
import { Pause, Toolbar as FrameToolbar } from '../../shared/frame/toolbar.js';
import { countOf, countText } from '../../shared/text/format.js';
import { useInspector, useView } from '../view/use-view.js';
import { isNarrowed } from './filter.js';
import { Filters } from './filters.js';

/** Search, filters, and the order of the list. */
export function Toolbar() {
  const inspector = useInspector();
  const filter = useView((view) => view.filter);
  const isNewestFirst = useView((view) => view.order === 'newest-first');
  const order = isNewestFirst ? 'Newest on top' : 'Newest at the bottom';
  return (
    <FrameToolbar
      label="Requests"
      searched="Search name, user, path and messageId"
      placeholder="Search name, user, path, messageId"
      search={filter.text}
      onSearch={(text) => inspector.setFilter({ text })}
      filters={<Filters />}
      isNarrowed={isNarrowed(filter)}
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
  const { log } = useInspector();
  const filter = useView((view) => view.filter);
  const stats = useView((view) => view.stats);
  useView((view) => view.version);
  const received = stats?.requests ?? log.kept.length;
  const kept = log.kept.length;
  return (
    <>
      {isNarrowed(filter) && <>{countText(log.matching.length)} of </>}
      {received > kept && kept > 0 && !isNarrowed(filter) && <>newest {countText(kept)} of </>}
      <b>{countOf(received, 'request')}</b>
    </>
  );
}
