import { Icon } from '../../shared/controls/icon.js';
import { Pause, Toolbar as FrameToolbar } from '../../shared/frame/toolbar.js';
import { countOf, countText } from '../../shared/text/format.js';
import { useOperations } from '../view/operations.js';
import { isNarrowed } from './filter.js';
import { Filters } from './filters.js';

/** Search, filters, and the actions for the listed events. */
export function Toolbar() {
  const operations = useOperations();
  const { value: filter } = operations.filter;
  const { value: tab } = operations.tab;
  const search = (text: string): void => {
    // The first tab searches in all lists and the history.
    if (operations.filter.value.search === '') operations.showTab('events');
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
  const operations = useOperations();
  const { value: rows } = operations.listed;
  const { value: tab } = operations.tab;
  const isMore = tab !== 'events' && operations.lists[tab].value.next !== null;
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
  const { value: rows } = operations.listed;
  const isMore = operations.lists['dead-letters'].value.next !== null;
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
