import { Icon } from '../../shared/controls/icon.js';
import { Pause, Toolbar as FrameToolbar } from '../../shared/frame/toolbar.js';
import { countOf, countText } from '../../shared/text/format.js';
import { useListed, useOperations, useView } from '../view/use-view.js';
import { isNarrowed } from './filter.js';
import { Filters } from './filters.js';

/** Search, filters, and the actions for the listed events. */
export function Toolbar() {
  const operations = useOperations();
  const filter = useView((view) => view.filter);
  const tab = useView((view) => view.tab);
  const search = (text: string): void => {
    // The first tab searches in all lists and the history.
    if (operations.view.value.filter.search === '') operations.showTab('events');
    operations.setFilter({ search: text });
  };
  return (
    <FrameToolbar
      label="Events"
      searched="Search messageId, user, event and reason"
      placeholder="Find an event by messageId or user"
      search={filter.search}
      onSearch={search}
      filters={<Filters />}
      isNarrowed={isNarrowed(filter)}
      count={<Count />}
    >
      {tab === 'events' && <Pause />}
      {tab === 'dead-letters' && <RedeliverAll />}
    </FrameToolbar>
  );
}

function Count() {
  const rows = useListed();
  const tab = useView((view) => view.tab);
  const lists = useView((view) => view.lists);
  const isMore = tab !== 'events' && lists[tab].next !== null;
  return (
    <>
      <b>
        {countText(rows.length)}
        {isMore && '+'}
      </b>{' '}
      listed
    </>
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
      onClick={() => operations.show({ name: 'redeliver', deadLetters: 'all-listed' })}
    >
      <Icon name="replay" />
      Redeliver {isMore ? 'all' : countOf(rows.length, 'event')}
    </button>
  );
}
