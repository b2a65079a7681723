import { useMemo } from 'preact/hooks';
import type { AttemptRow } from '../../../src/api/serve.js';
import type { ResponseExcerpt } from '../../../src/delivery/outcome.js';
import { type JsonSpan, JsonTextError, readJsonSpans } from '../../../src/json/spans.js';
import { JsonTree } from '../../shared/body/json-tree.js';
import { RawText } from '../../shared/body/raw-text.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { Status } from '../../shared/controls/status.js';
import { HeaderList } from '../../shared/detail/facts.js';
import { ResultTable } from '../../shared/detail/result-table.js';
import { clockText, countOf, durationText, errorText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';

interface AttemptsProps {
  readonly title: string;
  readonly attempts: readonly AttemptRow[];
}

/** The attempts of one round, one per endpoint. */
export function Attempts({ title, attempts }: AttemptsProps) {
  return (
    <section class="part" aria-labelledby="attempts-title">
      <header>
        <h3 id="attempts-title">{title}</h3>
      </header>
      <ResultTable label={title} columns={['Time', 'Endpoint', 'Response', 'Duration']}>
        {attempts.map(({ at, url, status, error, durationMs }, index) => (
          <tr key={index}>
            <td class="mono">{clockText(at)}</td>
            <td class="endpoint mono">
              <Received text={url} />
            </td>
            <td>
              <Status status={status} error={error === null ? 'none' : errorText(error)} />
            </td>
            <td>{durationText(durationMs)}</td>
          </tr>
        ))}
      </ResultTable>
    </section>
  );
}

interface ResponseProps {
  readonly title: string;
  /** Null where the response alone is known. */
  readonly status: number | null;
  readonly response: ResponseExcerpt;
}

/** What a response said that did not deliver an event: its status, some headers, and its body. */
export function Response({ title, status, response }: ResponseProps) {
  const { headers, body } = response;
  const pairs = Object.entries(headers);
  return (
    <section class="part response" aria-label={title}>
      <header>
        <h3>{title}</h3>
        {status !== null && <span class="status bad">HTTP {status}</span>}
        {body !== undefined && body !== '' && <CopyButton text={body} what="the response body" />}
      </header>
      {pairs.length > 0 && <HeaderList headers={pairs} label="Headers of the response" />}
      <ResponseBody response={response} />
    </section>
  );
}

/** The responses of attempts, as far as there were any that said why. */
export function Responses({ attempts }: { readonly attempts: readonly AttemptRow[] }) {
  const responded = attempts.filter(({ response }) => response !== undefined);
  return (
    <>
      {responded.map(({ url, status, response }) => (
        <Response
          key={url}
          title={responded.length === 1 ? 'Response' : `Response of ${url}`}
          status={status}
          response={response!}
        />
      ))}
    </>
  );
}

function ResponseBody({ response: { body, bodyBase64 } }: Pick<ResponseProps, 'response'>) {
  const root = useMemo(() => jsonOf(body ?? ''), [body]);
  if (body === undefined) {
    return <p class="quiet">Binary, {countOf(bytesOf(bodyBase64 ?? ''), 'byte')}</p>;
  }
  if (body === '') return <p class="quiet">No body</p>;
  return root ? <JsonTree text={body} root={root} /> : <RawText text={body} />;
}

/** Undefined for what is no JSON, as when only its beginning was kept. */
function jsonOf(text: string): JsonSpan | undefined {
  try {
    return readJsonSpans(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return undefined;
  }
}

function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}
