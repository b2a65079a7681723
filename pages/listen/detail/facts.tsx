import type { RequestRow, SignatureDetail } from '../../../src/api/listen.js';
import { Status } from '../../shared/controls/status.js';
import { Fact, MessageFact, UserFact } from '../../shared/detail/facts.js';
import { bytesText, clockText, countText, durationText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { AppStatus } from '../list/request-list.js';
import { useInspector } from '../view/inspector.js';
import { SignatureFacts } from './signature.js';

interface FactsProps {
  readonly row: RequestRow;
  /** Undefined until it is loaded. */
  readonly signature: SignatureDetail | null | undefined;
}

/** The main facts of a request. */
export function Facts({ row, signature }: FactsProps) {
  const inspector = useInspector();
  const { response } = row;
  return (
    <dl class="facts">
      <SignatureFacts row={row} detail={signature} />
      <Fact name="Response">
        <Status status={response.status} error="no response" />
        <span class="quiet"> after {durationText(row.durationMs)}</span>
      </Fact>
      {row.forwarded !== null && (
        <Fact name="App">
          <AppStatus forwarded={row.forwarded} />
          <span class="quiet"> after {durationText(row.forwarded.durationMs)}</span>
        </Fact>
      )}
      <DuplicateFact row={row} webhookId={signature?.id} />
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

interface DuplicateFactProps {
  readonly row: RequestRow;
  /** The id that the headers of its signature carry, if any. */
  readonly webhookId: string | null | undefined;
}

/** That a request was recognized as a repeat; a link lists those with the same id. */
function DuplicateFact({ row, webhookId }: DuplicateFactProps) {
  const inspector = useInspector();
  const id = webhookId ?? row.messageId;
  if (!row.isDuplicate) return null;
  return (
    <Fact name="Duplicate">
      of an earlier request
      {id !== null && (
        <button class="link" onClick={() => inspector.showText(id)}>
          All requests with this id
        </button>
      )}
    </Fact>
  );
}
