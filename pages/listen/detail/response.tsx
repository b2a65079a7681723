import type {
  Forwarded,
  RequestDetail,
  RequestRow,
  ResponseDetail,
} from '../../../src/api/listen.js';
import { RawText } from '../../shared/body/raw-text.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { Status } from '../../shared/controls/status.js';
import { Fact, HeaderList } from '../../shared/detail/facts.js';
import { durationText, errorText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';

/**
 * What was responded: status, what a fault did to it, headers and body. Of a forwarded request it is the
 * response of the app, beside the one that the receiver gives on its own.
 */
export function Response({ detail }: { readonly detail: RequestDetail }) {
  const { row, response, ownResponse } = detail;
  const { forwarded } = row;
  const isOfApp = typeof forwarded?.status === 'number';
  return (
    <div class={ownResponse === null ? undefined : 'responses'}>
      <section class="part" aria-labelledby="response-title">
        <header>
          <h3 id="response-title">{isOfApp ? 'Response of the app' : 'Response'}</h3>
          {response.body !== '' && <CopyButton text={response.body} what="the response" />}
        </header>
        <dl class="facts">
          {forwarded !== null && <AppFacts forwarded={forwarded} />}
          <ResponseFacts row={row} note={response.note} />
        </dl>
        <ResponseContent response={response} name="the response" />
      </section>
      {ownResponse !== null && (
        <section class="part" aria-labelledby="own-response-title">
          <header>
            <h3 id="own-response-title">Own response</h3>
            <span class="quiet">not sent: as without --forward</span>
          </header>
          {ownResponse.note !== null && <p>{ownResponse.note}</p>}
          <ResponseContent response={ownResponse} name="the own response" />
        </section>
      )}
    </div>
  );
}

interface ResponseFactsProps {
  readonly row: RequestRow;
  readonly note: string | null;
}

/** What the sender got, as far as the facts of the app do not tell it. */
function ResponseFacts({ row, note }: ResponseFactsProps) {
  const { status, delayMs } = row.response;
  const { forwarded } = row;
  return (
    <>
      {forwarded?.status !== status && (
        <Fact name={forwarded === null ? 'Status' : 'Sent'}>
          <Status status={status} error="no response" />
          {forwarded !== null && status !== null && <span class="quiet"> in place of the app</span>}
        </Fact>
      )}
      {row.fault !== null && (
        <Fact name="Fault">
          <code>
            <Received text={row.fault} />
          </code>
        </Fact>
      )}
      {delayMs > 0 && <Fact name="Delay">{durationText(delayMs)}</Fact>}
      {note !== null && <Fact name="Details">{note}</Fact>}
    </>
  );
}

interface ResponseContentProps {
  readonly response: ResponseDetail;
  /** For the labels. */
  readonly name: string;
}

/** The headers and the body of a response. */
function ResponseContent({ response: { headers, body }, name }: ResponseContentProps) {
  return (
    <>
      {headers.length > 0 && <HeaderList headers={headers} label={`Headers of ${name}`} />}
      {body !== '' && <RawText text={body} label={`Body of ${name}`} />}
    </>
  );
}

/** How a request was passed on to the app behind `--forward`, and what came back. */
function AppFacts({ forwarded }: { readonly forwarded: Forwarded }) {
  const { url, status, durationMs, error } = forwarded;
  return (
    <>
      <Fact name="App">
        <code>
          <Received text={url} />
        </code>
        <CopyButton text={url} what="the URL of the app" />
      </Fact>
      {status !== null && (
        <Fact name="Status">
          <Status status={status} error="" />
        </Fact>
      )}
      {error !== null && (
        <Fact name="Error">
          <span class="status bad">
            <Received text={status === null ? errorText(error) : brokenText(error)} />
          </span>
        </Fact>
      )}
      <Fact name="Duration">{durationText(durationMs)}</Fact>
    </>
  );
}

/** Why the body is not whole. */
function brokenText(error: string): string {
  if (error === 'reset') return 'connection closed within the body';
  if (error === 'aborted') return 'ended within the body';
  return errorText(error);
}
