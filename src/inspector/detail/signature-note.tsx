import type { RequestDetail } from '../api.js';
import { Received } from '../shared/text/received.js';

const unexplained = {
  valid: undefined,
  invalid: 'The signature does not fit the body and the secret.',
  missing: 'There is a secret, but the request has no X-Signature header.',
  unchecked: 'Start evfwd listen with --secret or --secret-file, and signatures are checked.',
};

/** Why a signature is not valid, or was not checked; nothing where it is. */
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
