import { useMemo } from 'preact/hooks';
import type { Forwarded, RequestRow } from '../../../src/api/listen.js';
import { Icon } from '../../shared/controls/icon.js';
import { Status } from '../../shared/controls/status.js';
import { Verdict } from '../../shared/detail/verdict.js';
import { type Column, NoMatch as FrameNoMatch, List } from '../../shared/list/list.js';
import {
  bytesText,
  clockText,
  countOf,
  countText,
  durationText,
  errorText,
} from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { isSpecific, specificReason } from '../filter/filter.js';
import { termText, withoutTerm } from '../filter/query.js';
import type { Occurring } from '../receive/occurring.js';
import { useInspector } from '../view/inspector.js';

/** The live list of requests. */
export function RequestList() {
  const inspector = useInspector();
  const { log } = inspector;
  const { value: order } = inspector.order;
  const classes = classesOf(log.occurring).join(' ');
  const columns = useMemo(() => columnsFor(classes.split(' ')), [classes]);
  return (
    <List
      page={inspector}
      label="Requests"
      noun="request"
      class={classes}
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

/** Classes for the optional columns: those whose values differ, and faults when there are any. */
function classesOf(occurring: Occurring): string[] {
  const { paths, users, schemes, reasons, duplicates, forwarded, faults } = occurring;
  return [
    ...(paths.size > 1 ? ['has-path'] : []),
    ...(users.size > 1 ? ['has-user'] : []),
    ...(reasons.values().some(isSpecific) ? ['has-reason'] : []),
    ...(schemes.size > 1 ? ['has-scheme'] : []),
    ...(forwarded.size > 1 ? ['has-forwarded'] : []),
    ...(duplicates.size > 0 ? ['has-duplicate'] : []),
    ...(faults.size > 0 ? ['has-fault'] : []),
  ];
}

const optional: readonly string[] = ['path', 'user', 'scheme', 'forwarded', 'fault'];

function columnsFor(classes: readonly string[]): readonly Column<RequestRow>[] {
  return columns.filter(({ name }) => !optional.includes(name) || classes.includes(`has-${name}`));
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
    cell: (row) => <Kind row={row} />,
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
    cell: (row) => <Signature row={row} />,
  },
  {
    name: 'scheme',
    title: 'Scheme',
    cell: ({ scheme }) => scheme !== null && <Received text={scheme} />,
  },
  { name: 'bytes', title: 'Size', cell: ({ bytes }) => bytesText(bytes) },
  {
    name: 'response',
    title: 'Status',
    cell: ({ response, isDuplicate }) => (
      <>
        <Status status={response.status} error="no response" />{' '}
        {isDuplicate && <span class="tag">duplicate</span>}
      </>
    ),
  },
  {
    name: 'forwarded',
    title: 'App',
    cell: ({ forwarded }) => forwarded !== null && <AppStatus forwarded={forwarded} />,
  },
  {
    name: 'fault',
    title: 'Fault',
    cell: ({ fault }) => fault !== null && <Received text={fault} />,
  },
  { name: 'duration', title: 'Duration', cell: ({ durationMs }) => durationText(durationMs) },
];

/** The type of the event; the method where there is none, or where it is its name. */
function Kind({ row }: { readonly row: RequestRow }) {
  if (row.type === null || foreignType(row) !== null) return <>{row.method}</>;
  return <Received text={row.type} />;
}

/** The name of the event; for a request without one, the number of its events or its path. */
function Name({ row }: { readonly row: RequestRow }) {
  const name = row.name ?? foreignType(row);
  if (name !== null) return <Received text={name} />;
  if (row.events > 1) return <>{countOf(row.events, 'event')}</>;
  return (
    <span class="path">
      <Received text={row.path} />
    </span>
  );
}

/** The verdict, and why it is none better where that says more. */
function Signature({ row }: { readonly row: RequestRow }) {
  const reason = specificReason(row);
  return (
    <>
      <Verdict verdict={row.signature} /> {reason !== null && <span class="reason">{reason}</span>}
    </>
  );
}

/** What the app behind `--forward` responded: the status, why there was none, or why it broke off. */
export function AppStatus({ forwarded: { status, error } }: { readonly forwarded: Forwarded }) {
  const isBroken = status !== null && error !== null;
  return (
    <>
      <Status status={status} error={error === null ? 'no response' : errorText(error)} />
      {isBroken && <span class="status bad"> {error}</span>}
    </>
  );
}

const eventTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete', 'batch'];

/** A type that is no kind of event but the name of one, as other senders have it: `invoice.paid`. */
export function foreignType({ type, name }: RequestRow): string | null {
  return type !== null && name === null && !eventTypes.includes(type) ? type : null;
}

/** Which filters hide the requests, and how many each. */
function NoMatch() {
  const inspector = useInspector();
  const { value: query } = inspector.query;
  const kept = inspector.log.kept.length;
  return (
    <FrameNoMatch action="Show all requests" onAction={() => inspector.clearFilter()}>
      <p>No requests match the search and the filters.</p>
      <ul class="hidden-by">
        {inspector.filter.hidden().map(({ term, count }) => (
          <li key={termText(term)}>
            <code>
              <Received text={termText(term)} />
            </code>{' '}
            hides {countText(count)} of {countOf(kept, 'request')}
            <button
              class="icon-button"
              aria-label={`Remove ${termText(term)}`}
              title="Remove this filter"
              onClick={() => inspector.setQuery(withoutTerm(query, term))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </FrameNoMatch>
  );
}
