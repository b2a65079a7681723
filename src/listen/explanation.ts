import { explainVerdict } from '../sign/explain/explain-verdict.js';
import { requestToVerify } from '../receive/request-to-verify.js';
import type { ReceivedRequest } from './received-request.js';
import type { Verification } from '../receive/verification.js';

const tooLarge = 'the body is larger than 1,048,576 bytes, so it was neither kept nor checked';

/** Limit for the search for common mistakes, which blocks the receiver: about a tenth of a second. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Why the signature is not valid, or could not be checked, as `verify-sig --explain` says it, without its
 * flags; null if it is valid, or there is no secret. Contains neither the secret nor the expected signature.
 */
export function explanationOf(
  received: ReceivedRequest,
  verification: Verification,
): string | null {
  if (received.isTooLarge) return tooLarge;
  const verdict = verification.verdictOf(received);
  const rule = verification.ruleFor(received.path);
  if (!verdict || !rule || verdict.valid) return null;
  const options = { secrets: rule.secrets, own: verification.own, maxBytes };
  const nowMs = received.receivedAt;
  return explainVerdict(requestToVerify(received), verdict, { ...options, nowMs, isLive: true })
    .message;
}
