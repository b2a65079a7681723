import { Select } from '../../shared/controls/fields.js';
import { Icon } from '../../shared/controls/icon.js';
import { Toolbar as FrameToolbar, Pause } from '../../shared/frame/toolbar.js';
import { countText } from '../../shared/text/format.js';
import { stateWords } from '../list/outcome-word.js';
import { allText, countOf } from '../view/counts.js';
import { useOperations } from '../view/operations.js';
import { isNarrowed } from './filter.js';

/** Search, filters, and the actions for the listed events. */
export function Toolbar() {
  const operations = useOperations();
  const { value: filter } = operations.filter;
  const { value: tab } = operations.tab;
  const hasRequests = operations.overview.value?.sources.some(({ raw }) => raw);
  const search = (text: string): void => {
    // The first tab searches in all lists and the history.
    if (operations.filter.value.search === '') operations.showTab('events');
    operations.setFilter({ search: text });
  };
  return (
    <FrameToolbar
      label="Events"
      searched={`Search messageId, user, event${hasRequests ? ', path, body' : ''} and reason`}
      placeholder={
        hasRequests ? 'Find by messageId, user, path or body' : 'Find an event by messageId or user'
      }
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
  const { length } = operations.listed.value;
  const all = countOf(operations.tab.value, operations);
  const isPart = all !== undefined && !all.isMore && all.count > length;
  return (
    <>
      <b>
        {countText(length)}
        {all?.isMore && '+'}
      </b>
      {isPart && ` of ${countText(all.count)}`} listed
    </>
  );
}

function RedeliverAll() {
  const operations = useOperations();
  const { length } = operations.listed.value;
  if (length === 0) return null;
  return (
    <button
      class="button"
      onClick={() => operations.show({ name: 'redeliver', deadLetters: 'all-listed' })}
    >
      <Icon name="replay" />
      Redeliver {allText(operations)}
    </button>
  );
}

const types = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete'] as const;

/** The filters of the lists. */
function Filters() {
  const operations = useOperations();
  const { value: filter } = operations.filter;
  const { value: tab } = operations.tab;
  const { value: overview } = operations.overview;
  const choicesOf = (all: readonly { readonly name: string }[] = []) =>
    all.map(({ name }) => [name, name] as const);
  return (
    <>
      <Select
        name="Source"
        value={filter.source}
        choices={choicesOf(overview?.sources)}
        onChoose={(source) => operations.setFilter({ source })}
      />
      {tab !== 'rejected' && (
        <Select
          name="Destination"
          value={filter.destination}
          choices={choicesOf(overview?.destinations)}
          onChoose={(destination) => operations.setFilter({ destination })}
        />
      )}
      {tab === 'events' && (
        <Select
          name="Outcome"
          value={filter.state}
          choices={stateWords}
          onChoose={(state) => operations.setFilter({ state })}
        />
      )}
      {overview?.sources.some(({ raw }) => !raw) && (
        <Select
          name="Type"
          value={filter.type}
          choices={types.map((type) => [type, type] as const)}
          onChoose={(type) => operations.setFilter({ type })}
        />
      )}
    </>
  );
}
