import type { RequestDetail, RequestRow, SignatureDetail } from '../../../src/api/listen.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { Fact } from '../../shared/detail/facts.js';
import { countText, durationText, timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { Verdict } from '../../shared/detail/verdict.js';
import { useInspector } from '../view/inspector.js';

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

/** Why a signature is not valid or was not checked; nothing when it is valid. */
export function SignatureNote({ detail }: { readonly detail: RequestDetail }) {
  const { hasSecret } = useInspector().setup.value;
  const { signature } = detail.row;
  const text = detail.explanation ?? unexplained(signature, hasSecret);
  if (text === undefined) return null;
  const isBad = signature === 'invalid' || signature === 'missing';
  return (
    <p class={isBad ? 'callout bad' : 'callout'}>
      <strong>Signature {signature}.</strong>{' '}
      <Received text={text.charAt(0).toUpperCase() + text.slice(1)} />
    </p>
  );
}

function unexplained(
  signature: RequestDetail['row']['signature'],
  hasSecret: boolean,
): string | undefined {
  switch (signature) {
    case 'valid':
      return undefined;
    case 'invalid':
      return 'The signature does not match the body and the secret.';
    case 'missing':
      return 'The receiver has a secret, but the request has no signature.';
    case 'unchecked':
      return hasSecret
        ? 'No secret covers this path: add a --verify rule for it, or a --secret-file for all others.'
        : 'To check signatures, start evfwd listen with --secret or --secret-file.';
  }
}

const dayMs = 86_400_000;

/**
 * How old a signature was when it was received: `0.83 s before it was received`, `3 days before …`.
 *
 * @param ageMs negative for a time ahead of the receiver's clock
 */
export function signatureAgeText(ageMs: number): string {
  const span = spanText(Math.abs(ageMs));
  return ageMs < 0 ? `${span} ahead of the receiver’s clock` : `${span} before it was received`;
}

/** From two days on, hours do not matter. */
function spanText(ms: number): string {
  if (ms >= 2 * dayMs) return `${countText(Math.floor(ms / dayMs))} days`;
  // Whole seconds are passed ones, as in the explanation of the verdict.
  return durationText(ms < 60_000 ? ms : Math.floor(ms / 1000) * 1000);
}
