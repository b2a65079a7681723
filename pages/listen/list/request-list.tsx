import { useMemo } from 'preact/hooks';
import type { RequestRow } from '../../../src/api/listen.js';
import { Status } from '../../shared/controls/status.js';
import { List } from '../../shared/list/list.js';
import type { Column } from '../../shared/list/row.js';
import { bytesText, clockText, countOf, durationText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { NoMatch } from '../filter/no-match.js';
import { useInspector, useView } from '../view/use-view.js';
import { Verdict } from './verdict.js';

/** The live list of requests. */
export function RequestList() {
  const inspector = useInspector();
  const { log } = inspector;
  const order = useView((view) => view.order);
  useView((view) => view.version);
  const [hasPaths, hasFaults] = [log.paths.size > 1, log.faults.size > 0];
  const columns = useMemo(() => columnsFor(hasPaths, hasFaults), [hasPaths, hasFaults]);
  return (
    <List
      page={inspector}
      label="Requests"
      noun="request"
      class={`${hasPaths ? 'has-paths' : ''} ${hasFaults ? 'has-faults' : ''}`}
      columns={columns}
      nameOf={({ sequence }) => `request ${sequence}`}
      growth={{
        appended: log.appended,
        dropped: log.dropped,
        isNewestFirst: order === 'newest-first',
        which: log.filters,
      }}
      empty={log.kept.length > 0 && <NoMatch />}
    />
  );
}

/** The path is shown when there are several, faults when there are any. */
function columnsFor(hasPaths: boolean, hasFaults: boolean): readonly Column<RequestRow>[] {
  return columns.filter(
    ({ name }) => (name !== 'path' || hasPaths) && (name !== 'fault' || hasFaults),
  );
}

const columns: readonly Column<RequestRow>[] = [
  {
    name: 'time',
    title: 'Time',
    cell: ({ receivedAt }) => <time dateTime={receivedAt}>{clockText(receivedAt)}</time>,
  },
  {
    name: 'type',
    title: 'Type',
    cell: ({ type, method }) => (type === null ? method : <Received text={type} />),
  },
  { name: 'name', title: 'Event', cell: (row) => <Name row={row} /> },
  { name: 'path', title: 'Path', cell: ({ path }) => <Received text={path} /> },
  {
    name: 'user',
    title: 'User',
    cell: ({ user }) => user !== null && <Received text={user} />,
  },
  {
    name: 'signature',
    title: 'Signature',
    cell: ({ signature }) => <Verdict verdict={signature} />,
  },
  { name: 'bytes', title: 'Size', cell: ({ bytes }) => bytesText(bytes) },
  {
    name: 'response',
    title: 'Status',
    cell: ({ response }) => <Status status={response.status} error="no response" />,
  },
  {
    name: 'fault',
    title: 'Fault',
    cell: ({ fault }) => fault !== null && <Received text={fault} />,
  },
  { name: 'duration', title: 'Duration', cell: ({ durationMs }) => durationText(durationMs) },
];

/** The name of the event; for a request without one, the number of its events or its path. */
function Name({ row }: { readonly row: RequestRow }) {
  if (row.name !== null) return <Received text={row.name} />;
  if (row.events > 1) return <>{countOf(row.events, 'event')}</>;
  return (
    <span class="path">
      <Received text={row.path} />
    </span>
  );
}
