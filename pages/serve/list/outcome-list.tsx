import { useRef } from 'preact/hooks';
import type { EventAtDestination } from '../../../src/api/serve.js';
import { type Column, List, NoMatch } from '../../shared/list/list.js';
import { timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { isNarrowed, searchText } from '../filter/filter.js';
import { reasonOf } from '../outcomes/reason.js';
import { NothingFound } from '../search/nothing-found.js';
import type { Tab } from '../view/lists.js';
import { useNow, useOperations } from '../view/operations.js';
import { OutcomeWord, Route } from './outcome-word.js';

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
      class={tab}
      columns={columns}
      nameOf={({ messageId }) => messageId ?? 'this event'}
      // The time until the next attempt is counted down.
      stateOf={({ nextAt }) => nextAt !== null && now}
      growth={{ appended, dropped: 0, isNewestFirst: true, which, rowPx }}
      isSelectable={isSelectable}
      end={rows.length > 0 && <ListEnd />}
      empty={
        searchText(filter) !== '' && tab === 'events' ? (
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

const columns: readonly Column<EventAtDestination>[] = [
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
    // In a narrow cell, the URL of the endpoint would leave no room for what it said.
    cell: (outcome) => (
      <Received text={reasonOf(outcome, Date.now()).replace(/^https?:\/\/\S+: /, '')} />
    ),
  },
];

/** The name of the event, or else its id, on a narrow page after its type. */
function Name({ outcome: { name, type, messageId } }: { readonly outcome: EventAtDestination }) {
  if (name !== null) return <Received text={name} />;
  return (
    <span class="path">
      <span class="type-too">{type !== null && <Received text={`${type} `} />}</span>
      {messageId !== null && <Received text={messageId} />}
    </span>
  );
}

const words: Readonly<Record<Tab, string>> = {
  events: 'No events received since the service started.',
  waiting: 'No events are waiting for a retry.',
  'dead-letters': 'No dead letters.',
  rejected: 'No rejected events.',
};

/** Shown in place of the rows when there are none. */
function EmptyList({ isNarrowed }: { readonly isNarrowed: boolean }) {
  const operations = useOperations();
  const { value: tab } = operations.tab;
  const loaded = tab === 'events' ? undefined : operations.lists[tab].value;
  if (loaded?.error !== undefined) {
    return (
      <NoMatch action="Try again" onAction={() => operations.lists.refresh()}>
        <p role="alert">{loaded.error}</p>
      </NoMatch>
    );
  }
  if (loaded?.isCurrent === false) return null;
  if (!isNarrowed) {
    return (
      <NoMatch>
        <p>{words[tab]}</p>
      </NoMatch>
    );
  }
  return (
    <NoMatch action="Show all" onAction={() => operations.clearFilter()}>
      <p>No events match the filters.</p>
    </NoMatch>
  );
}

/** Loads the next page, below the last row. */
function ListEnd() {
  const operations = useOperations();
  const { value: tab } = operations.tab;
  if (tab === 'events' || operations.lists[tab].value.next === null) return null;
  return (
    <p class="list-end">
      <button class="button" onClick={() => void operations.lists.more(tab)}>
        Show more
      </button>
    </p>
  );
}

/**
 * How many rows were ever added at the top of a list, for it to keep its scroll position.
 *
 * @param which identifies the list: the rows of another list were not added to this one
 */
function useAppended(rows: readonly EventAtDestination[], which: unknown): number {
  const seen = useRef({ rows, which, appended: 0 });
  const before = seen.current;
  if (before.rows !== rows) {
    const came = before.which === which ? cameOnTop(before.rows, rows) : 0;
    seen.current = { rows, which, appended: before.appended + came };
  }
  return seen.current.appended;
}

/** Counts down to the first row that was listed before, anywhere: outcomes of old events move up. */
function cameOnTop(
  before: readonly EventAtDestination[],
  rows: readonly EventAtDestination[],
): number {
  const known = new Set(before);
  const place = rows.findIndex((row) => known.has(row));
  return place === -1 ? rows.length : place;
}
