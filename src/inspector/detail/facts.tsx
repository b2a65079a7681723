import type { RequestRow } from '../api.js';
import { Answer } from '../list/answer.js';
import { Verdict } from '../list/verdict.js';
import { CopyButton } from '../shared/controls/copy-button.js';
import { Fact } from '../shared/controls/fact.js';
import { bytesText, clockText, countText, durationText } from '../shared/text/format.js';
import { Received } from '../shared/text/received.js';
import { useInspector } from '../view/use-view.js';

/** A request in a few facts. */
export function Facts({ row }: { readonly row: RequestRow }) {
  const { response, messageId } = row;
  return (
    <dl class="facts">
      <Fact name="Signature">
        <Verdict verdict={row.signature} />
      </Fact>
      <Fact name="Answer">
        <Answer row={row} />
        <span class="quiet"> after {durationText(row.durationMs)}</span>
      </Fact>
      {row.fault !== null && (
        <Fact name="Fault">
          <code>
            <Received text={row.fault} />
          </code>
          {response.delayMs > 0 && (
            <span class="quiet"> held back for {durationText(response.delayMs)}</span>
          )}
        </Fact>
      )}
      <Fact name="Received">
        <time dateTime={row.receivedAt} title={row.receivedAt}>
          {clockText(row.receivedAt)}
        </time>
        <span class="quiet"> no. {countText(row.sequence)}</span>
      </Fact>
      <Fact name="Request">
        <code>
          {row.method} <Received text={row.path} />
        </code>
      </Fact>
      <Fact name="Size">
        {bytesText(row.bytes)}
        {row.events > 1 && <span class="quiet"> with {countText(row.events)} events</span>}
      </Fact>
      {row.user !== null && <User user={row.user} />}
      {messageId !== null && (
        <Fact name="Message">
          <code>
            <Received text={messageId} />
          </code>
          <CopyButton text={messageId} what="the messageId" />
        </Fact>
      )}
    </dl>
  );
}

function User({ user }: { readonly user: string }) {
  const inspector = useInspector();
  return (
    <Fact name="User">
      <code>
        <Received text={user} />
      </code>
      <button class="link" onClick={() => inspector.setFilter({ user })}>
        only this user
      </button>
    </Fact>
  );
}
