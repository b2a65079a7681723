import { explainRequest } from '../sign/check-capture.js';
import { headerValues } from '../http/header-rules.js';
import type { ReceivedRequest } from './received-request.js';

type Signed = Pick<ReceivedRequest, 'signature' | 'headers' | 'body' | 'isTooLarge'>;

const tooLarge = 'the body is larger than 1,048,576 bytes, so it was neither kept nor checked';

/** Limit for the search for common mistakes, which blocks the receiver: about a tenth of a second. */
const maxHashedBytes = 64 * 1024 * 1024;

/**
 * Why the signature is not valid, or could not be checked, as `verify-sig --explain` says it; null
 * if it is valid, or there is no secret. Contains neither the secret nor the expected signature.
 */
export function explanationOf(
  { signature, headers, body, isTooLarge }: Signed,
  secret: string | Buffer | undefined,
): string | null {
  if (isTooLarge) return tooLarge;
  if (secret === undefined || signature === 'valid' || signature === 'unchecked') return null;
  const request = { body, signatures: headerValues(headers, 'x-signature') };
  return explainRequest(request, secret, { maxBytes: maxHashedBytes });
}
