import { useEffect, useRef } from 'preact/hooks';
import type { ReplayResult, RequestRow } from '../../../src/api/listen.js';
import { readBody } from '../../shared/body/read-body.js';
import { Shaped } from '../../shared/body/shaped.js';
import { isSuccess, Status } from '../../shared/controls/status.js';
import { HeaderList } from '../../shared/detail/facts.js';
import { ResultTable } from '../../shared/detail/result-table.js';
import { countText, durationText, errorText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';

export type Result = ReplayResult['results'][number];

export interface ReplayState {
  readonly isRunning: boolean;
  readonly results: readonly Result[];
  /** Why the replay ended early. */
  readonly error: string | undefined;
}

interface ReplayResultsProps {
  readonly rows: readonly RequestRow[];
  readonly state: ReplayState;
}

/** Of more results than this, only the newest are listed. */
const maxLines = 200;

/** The result of each replayed request. */
export function ReplayResults({ rows, state: { results, isRunning } }: ReplayResultsProps) {
  const box = useRef<HTMLDivElement>(null);
  const hasEnded = results.length > 0 && !isRunning;
  useEffect(() => {
    // Below a long form, they would be out of sight.
    if (hasEnded) box.current?.scrollIntoView({ block: 'nearest' });
  }, [hasEnded]);
  if (results.length === 0 && !isRunning) return null;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const good = results.filter(({ status }) => isSuccess(status)).length;
  return (
    <div class="results" ref={box}>
      <p role="status">
        {countText(results.length)} of {countText(rows.length)} sent: {countText(good)} succeeded
        (2xx), {countText(results.length - good)} failed
      </p>
      <ResultTable label="Results" columns={['Request', 'Status', 'Duration']}>
        {results.slice(-maxLines).map((result) => (
          <tr key={result.id}>
            <th scope="row">
              <Label row={byId.get(result.id)} />
            </th>
            <td>
              <Status status={result.status} error={resultText(result)} />
            </td>
            <td>{durationText(result.durationMs)}</td>
          </tr>
        ))}
      </ResultTable>
      <ReplayResponses
        results={results}
        nameOf={({ id }) => {
          const row = byId.get(id);
          return row ? `#${row.sequence} ${row.name ?? row.type ?? row.path}` : id;
        }}
      />
    </div>
  );
}

function resultText({ error }: Result): string {
  if (error === 'not_kept') return 'no longer kept';
  return error === null ? 'no response' : errorText(error);
}

function Label({ row }: { readonly row: RequestRow | undefined }) {
  if (!row) return null;
  return (
    <>
      <span class="quiet">#{countText(row.sequence)}</span>{' '}
      <Received text={row.name ?? row.type ?? row.path} />
    </>
  );
}

interface ReplayResponsesProps {
  readonly results: readonly Result[];
  /** A result in a few words. */
  readonly nameOf: (result: Result) => string;
}

const maxResponses = 50;

/**
 * What the responses said: status, headers, and the beginning of the body. Of several requests, only those
 * that were no success.
 */
function ReplayResponses({ results, nameOf }: ReplayResponsesProps) {
  const said = results
    .filter(({ status, response }) => response && (results.length === 1 || !isSuccess(status)))
    .slice(-maxResponses);
  return (
    <>
      {said.map((result) => (
        <details class="response" key={result.id} open={results.length === 1}>
          <summary>
            Response {result.status} to <Received text={nameOf(result)} />
          </summary>
          <Response response={result.response!} />
        </details>
      ))}
    </>
  );
}

function Response({ response }: { readonly response: NonNullable<Result['response']> }) {
  const { headers, body = null, bodyBase64 = null } = response;
  const contentType = headers['content-type'];
  const { shape, text } = readBody({ body, bodyBase64, contentType });
  const hasHeaders = Object.keys(headers).length > 0;
  if (!hasHeaders && text === '') return <p class="quiet">It has no body.</p>;
  return (
    <>
      {hasHeaders && (
        <HeaderList headers={Object.entries(headers)} label="Headers of the response" />
      )}
      {text !== '' && <Shaped shape={shape} text={text} />}
    </>
  );
}
