import { type Column, List } from '../../shared/list/list.js';
import { timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { isNarrowed, wanted } from '../filter/filter.js';
import type { Outcome } from '../outcomes/outcome.js';
import { reasonOf } from '../outcomes/reason.js';
import { NothingFound } from '../search/nothing-found.js';
import { useNow, useOperations } from '../view/operations.js';
import { EmptyList } from './empty-list.js';
import { ListEnd } from './list-end.js';
import { OutcomeWord } from './outcome-word.js';
import { Route } from './route.js';
import { useAppended } from './use-appended.js';

/** The list of the chosen tab. */
export function OutcomeList() {
  const operations = useOperations();
  const rows = operations.listed.value;
  const { value: tab } = operations.tab;
  const { value: filter } = operations.filter;
  const now = useNow();
  const which = `${tab} ${JSON.stringify(filter)}`;
  const appended = useAppended(rows, which);
  const isSelectable = tab === 'dead-letters';
  return (
    <List
      page={operations}
      label="Events"
      noun="outcome"
      class={`${tab}${isSelectable ? ' selectable' : ''}`}
      columns={columns}
      nameOf={({ messageId }) => messageId ?? 'this event'}
      // The time until the next attempt is counted down.
      stateOf={({ nextAt }) => nextAt !== null && now}
      growth={{ appended, dropped: 0, isNewestFirst: true, which, rowPx }}
      isSelectable={isSelectable}
      end={rows.length > 0 && <ListEnd />}
      empty={
        wanted(filter) !== '' && tab === 'events' ? (
          <NothingFound />
        ) : (
          <EmptyList isNarrowed={isNarrowed(filter)} />
        )
      }
    />
  );
}

/** As in the style sheet. */
const rowPx = 28;

const columns: readonly Column<Outcome>[] = [
  {
    name: 'time',
    title: 'Time',
    cell: ({ at }) => (
      <time dateTime={at} title={at}>
        {timestampText(at, Date.now())}
      </time>
    ),
  },
  {
    name: 'type',
    title: 'Type',
    cell: ({ type }) => type !== null && <Received text={type} />,
  },
  { name: 'name', title: 'Event', cell: (outcome) => <Name outcome={outcome} /> },
  {
    name: 'user',
    title: 'User',
    cell: ({ user }) => user !== null && <Received text={user} />,
  },
  { name: 'route', title: 'Route', cell: (outcome) => <Route outcome={outcome} /> },
  { name: 'state', title: 'Outcome', cell: ({ state }) => <OutcomeWord state={state} /> },
  {
    name: 'reason',
    title: 'Details',
    cell: (outcome) => <Received text={reasonOf(outcome, Date.now())} />,
  },
];

/** The name of the event, or else its id, on a narrow page after its type. */
function Name({ outcome: { name, type, messageId } }: { readonly outcome: Outcome }) {
  if (name !== null) return <Received text={name} />;
  return (
    <span class="path">
      <span class="type-too">{type !== null && <Received text={`${type} `} />}</span>
      {messageId !== null && <Received text={messageId} />}
    </span>
  );
}
