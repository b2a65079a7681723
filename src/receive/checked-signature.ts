import type { SignatureVerdict } from '../api/listen.js';
import type { VerifyReason } from '../sign/verify-reason.js';

/** What is known of the signature of a request. */
export interface CheckedSignature {
  readonly signature: SignatureVerdict;
  /** By which scheme it was checked; null where it was not, or none was found. */
  readonly scheme: string | null;
  /** Why it is not valid; null when it is, or is unchecked. */
  readonly reason: VerifyReason | null;
  /** The id of the webhook that the headers of the scheme carry. */
  readonly webhookId: string | null;
  /** The time in the headers of the scheme, in milliseconds since 1970. */
  readonly signedAt: number | null;
}

export const unchecked: CheckedSignature = {
  signature: 'unchecked',
  scheme: null,
  reason: null,
  webhookId: null,
  signedAt: null,
};
