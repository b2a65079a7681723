import type { RequestDetail } from '../../../src/api/listen.js';
import { Received } from '../../shared/text/received.js';

const unexplained = {
  valid: undefined,
  invalid: 'The signature does not match the body and the secret.',
  missing: 'The receiver has a secret, but the request has no X-Signature header.',
  unchecked: 'To check signatures, start evfwd listen with --secret or --secret-file.',
};

/** Why a signature is not valid or was not checked; nothing when it is valid. */
export function SignatureNote({ detail }: { readonly detail: RequestDetail }) {
  const { signature } = detail.row;
  const text = detail.explanation ?? unexplained[signature];
  if (text === undefined) return null;
  const isBad = signature === 'invalid' || signature === 'missing';
  return (
    <p class={isBad ? 'callout bad' : 'callout'}>
      <strong>Signature {signature}.</strong>{' '}
      <Received text={text.charAt(0).toUpperCase() + text.slice(1)} />
    </p>
  );
}
