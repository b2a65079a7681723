import { useState } from 'preact/hooks';
import type { RequestDetail, RequestRow } from '../../../src/api/listen.js';
import { Dialog } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { clockText, countText, resultText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { useInspector } from '../view/inspector.js';
import { type Difference, diffHeaders } from './diff.js';
import { BodyDifferences, Differences } from './differences.js';

/** Shows where two selected requests differ. */
export function CompareDialog() {
  const inspector = useInspector();
  const { receiver } = inspector;
  const [rows] = useState(() => inspector.compared);
  const load = (id: string, signal: AbortSignal) => receiver.detail(id, signal);
  const before = useLoaded(rows?.[0].id ?? null, load);
  const after = useLoaded(rows?.[1].id ?? null, load);
  const failed = [before, after].find((loaded) => loaded.state === 'failed');
  return (
    <Dialog title="Compare 2 requests" size="wide">
      {rows && (
        <ul class="compared">
          <Compared sign="−" kind="removed" row={rows[0]} />
          <Compared sign="+" kind="added" row={rows[1]} />
        </ul>
      )}
      <FieldError
        error={failed?.error instanceof Error ? failed.error.message : failed && 'not loaded'}
      />
      {before.state === 'loaded' && after.state === 'loaded' && (
        <AllDifferences before={before.value} after={after.value} />
      )}
    </Dialog>
  );
}

interface ComparedProps {
  readonly sign: string;
  readonly kind: 'removed' | 'added';
  readonly row: RequestRow;
}

function Compared({ sign, kind, row }: ComparedProps) {
  return (
    <li class={kind}>
      <span class="sign">{sign}</span>#{countText(row.sequence)}{' '}
      <time dateTime={row.receivedAt}>{clockText(row.receivedAt)}</time>{' '}
      <Received text={`${row.type ?? row.method} ${row.name ?? row.path}`} />
    </li>
  );
}

function AllDifferences(details: {
  readonly before: RequestDetail;
  readonly after: RequestDetail;
}) {
  const { before, after } = details;
  const facts = diffFacts(before.row, after.row);
  const headers = diffHeaders(before.headers, after.headers);
  return (
    <>
      {facts.length > 0 && <Differences label="Facts that differ" differences={facts} />}
      <BodyDifferences {...details} />
      <section class="part" aria-labelledby="header-differences">
        <header>
          <h3 id="header-differences">Headers</h3>
        </header>
        {headers.length === 0 ? (
          <p class="quiet">The headers are equal.</p>
        ) : (
          <Differences label="Headers that differ" differences={headers} />
        )}
      </section>
    </>
  );
}

function diffFacts(before: RequestRow, after: RequestRow): Difference[] {
  const facts: readonly (readonly [name: string, of: (row: RequestRow) => string])[] = [
    ['Method', (row) => row.method],
    ['Path', (row) => row.path],
    ['Status', (row) => String(row.response.status ?? 'no response')],
    ['App', (row) => appText(row.forwarded)],
    ['Signature', (row) => row.signature],
    ['Reason', (row) => row.reason ?? 'none'],
    ['Scheme', (row) => row.scheme ?? 'none'],
  ];
  return facts
    .map(([name, of]) => ({ name, before: of(before), after: of(after) }))
    .filter(({ before: one, after: other }) => one !== other);
}

/** What the app behind `--forward` responded. */
function appText(forwarded: RequestRow['forwarded']): string {
  if (forwarded === null) return 'not forwarded';
  return resultText(forwarded.status, forwarded.error) ?? 'no response';
}
