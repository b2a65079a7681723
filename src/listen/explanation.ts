import { explainRequest } from '../sign/check-capture.js';
import { headerValues, type Received } from './received.js';

/** So much may be hashed in search of an accident: about a tenth of a second, in which nothing else is done. */
const maxHashedBytes = 64 * 1024 * 1024;

/**
 * Why the signature is not valid, as `verify-sig --explain` says it; null when it is, or was not
 * checked. Holds neither the secret nor the expected signature.
 */
export function explanationOf(
  { signature, headers, body }: Pick<Received, 'signature' | 'headers' | 'body'>,
  secret: string | Buffer | undefined,
): string | null {
  if (secret === undefined || signature === 'valid' || signature === 'unchecked') return null;
  const request = { body, signatures: headerValues(headers, 'x-signature') };
  return explainRequest(request, secret, { maxBytes: maxHashedBytes });
}
