import type { RequestDetail } from '../../../src/api/listen.js';
import { RawText } from '../../shared/body/raw-text.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { Fact } from '../../shared/controls/fact.js';
import { Status } from '../../shared/controls/status.js';
import { durationText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { HeaderList } from './header-list.js';

/** What the receiver responded: status, what a fault did to it, headers and body. */
export function Response({ detail: { row, response } }: { readonly detail: RequestDetail }) {
  const { body, headers, note } = response;
  const { status, delayMs } = row.response;
  return (
    <section class="part" aria-labelledby="response-title">
      <header>
        <h3 id="response-title">Response</h3>
        {body !== '' && <CopyButton text={body} what="the response" />}
      </header>
      <dl class="facts">
        <Fact name="Status">
          <Status status={status} error="no response" />
        </Fact>
        {row.fault !== null && (
          <Fact name="Fault">
            <code>
              <Received text={row.fault} />
            </code>
          </Fact>
        )}
        {delayMs > 0 && <Fact name="Delay">{durationText(delayMs)}</Fact>}
        {note !== null && <Fact name="Details">{note}</Fact>}
      </dl>
      {headers.length > 0 && <HeaderList headers={headers} label="Headers of the response" />}
      {body !== '' && <RawText text={body} label="Body of the response" />}
    </section>
  );
}
