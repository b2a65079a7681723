import type { SignatureDetail } from '../api/listen.js';
import type { ReceivedRequest } from './received-request.js';

type Judged = Pick<ReceivedRequest, 'scheme' | 'webhookId' | 'signedAt' | 'receivedAt'>;

/** What the headers of the signature say; null if none was looked for, or found. */
export function signatureDetail(received: Judged): SignatureDetail | null {
  const { scheme, webhookId, signedAt, receivedAt } = received;
  if (scheme === null) return null;
  const time = signedAt === null ? undefined : new Date(signedAt);
  const isDate = time !== undefined && !Number.isNaN(time.getTime());
  return {
    scheme,
    id: webhookId,
    timestamp: isDate ? time.toISOString() : null,
    ageMs: signedAt !== null && isDate ? receivedAt - signedAt : null,
  };
}
