import type { RequestRow } from '../../../src/api/listen.js';
import { Verdict } from '../list/verdict.js';
import { Fact } from '../../shared/controls/fact.js';
import { Status } from '../../shared/controls/status.js';
import { MessageFact, UserFact } from '../../shared/detail/facts.js';
import { bytesText, clockText, countText, durationText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { useInspector } from '../view/use-view.js';

/** The main facts of a request. */
export function Facts({ row }: { readonly row: RequestRow }) {
  const inspector = useInspector();
  const { response } = row;
  return (
    <dl class="facts">
      <Fact name="Signature">
        <Verdict verdict={row.signature} />
      </Fact>
      <Fact name="Response">
        <Status status={response.status} error="no response" />
        <span class="quiet"> after {durationText(row.durationMs)}</span>
      </Fact>
      {row.fault !== null && (
        <Fact name="Fault">
          <code>
            <Received text={row.fault} />
          </code>
          {response.delayMs > 0 && (
            <span class="quiet"> delayed by {durationText(response.delayMs)}</span>
          )}
        </Fact>
      )}
      <Fact name="Received">
        <time dateTime={row.receivedAt} title={row.receivedAt}>
          {clockText(row.receivedAt)}
        </time>
        <span class="quiet"> #{countText(row.sequence)}</span>
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
      <UserFact
        user={row.user}
        link="All requests of this user"
        onFollow={(user) => inspector.showUser(user)}
      />
      <MessageFact messageId={row.messageId} />
    </dl>
  );
}
