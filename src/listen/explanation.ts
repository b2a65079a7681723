import { explainRequest } from '../sign/check-capture.js';
import { headerValues } from '../http/header-rules.js';
import type { ReceivedRequest } from './received-request.js';
import type { Verification } from './verification.js';

const tooLarge = 'the body is larger than 1,048,576 bytes, so it was neither kept nor checked';

/** Limit for the search for common mistakes, which blocks the receiver: about a tenth of a second. */
const maxHashedBytes = 64 * 1024 * 1024;

/**
 * Why the signature is not valid, or could not be checked, as `verify-sig --explain` says it; null
 * if it is valid, or there is no secret. Contains neither the secret nor the expected signature.
 */
export function explanationOf(
  received: ReceivedRequest,
  verification: Verification,
): string | null {
  const { signature, scheme, headers, body, isTooLarge } = received;
  if (isTooLarge) return tooLarge;
  if (signature === 'valid' || signature === 'unchecked') return null;
  const [secret] = verification.ruleFor(received.path)?.secrets ?? [];
  if (secret === undefined || scheme !== 'x-signature') {
    return verification.verdictOf(received)?.hint ?? null;
  }
  const request = { body, signatures: headerValues(headers, 'x-signature') };
  return explainRequest(request, secret as string | Buffer, { maxBytes: maxHashedBytes });
}
