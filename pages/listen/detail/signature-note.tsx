import type { RequestDetail } from '../../../src/api/listen.js';
import { Received } from '../../shared/text/received.js';
import { useInspector } from '../view/inspector.js';

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
