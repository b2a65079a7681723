import type { RequestRow, SignatureDetail } from '../../../src/api/listen.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { Fact } from '../../shared/detail/facts.js';
import { timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { Verdict } from '../list/verdict.js';
import { signatureAgeText } from './signature-age.js';

interface SignatureFactsProps {
  readonly row: RequestRow;
  /** Undefined until it is loaded. */
  readonly detail: SignatureDetail | null | undefined;
}

/** The verdict on a signature, and what its headers say: scheme, id, time and age. */
export function SignatureFacts({
  row: { signature, scheme, reason },
  detail,
}: SignatureFactsProps) {
  return (
    <>
      <Fact name="Signature">
        <Verdict verdict={signature} />{' '}
        {reason !== null && reason !== signature && <code class="reason">{reason}</code>}
      </Fact>
      {scheme !== null && (
        <Fact name="Scheme">
          <code>
            <Received text={scheme} />
          </code>
        </Fact>
      )}
      {typeof detail?.id === 'string' && (
        <Fact name="Webhook id">
          <code>
            <Received text={detail.id} />
          </code>
          <CopyButton text={detail.id} what="the id of the webhook" />
        </Fact>
      )}
      {typeof detail?.timestamp === 'string' && (
        <SignedFact timestamp={detail.timestamp} ageMs={detail.ageMs} />
      )}
    </>
  );
}

/** When it was signed, and how long before it was received. */
function SignedFact({ timestamp, ageMs }: Pick<SignatureDetail, 'ageMs'> & { timestamp: string }) {
  return (
    <Fact name="Signed">
      <time dateTime={timestamp} title={timestamp}>
        {timestampText(timestamp, Date.now())}
      </time>
      {ageMs !== null && <span class="quiet"> {signatureAgeText(ageMs)}</span>}
    </Fact>
  );
}
