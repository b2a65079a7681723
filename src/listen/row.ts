import type { RequestRow } from '../api/listen.js';
import type { ReceivedRequest } from './received-request.js';

const maxPath = 500;

/** A request as a row of a list. A long path is cut, since lists have ten thousand rows. */
export function rowOf(received: ReceivedRequest): RequestRow {
  const { path } = received;
  const isLong = path.length > maxPath;
  return wholeRow(isLong ? { ...received, path: `${path.slice(0, maxPath)}…` } : received);
}

/** The same with its whole path. */
export function wholeRow(received: ReceivedRequest): RequestRow {
  const { id, sequence, receivedAt, method, path, summary, signature, bytes, response } = received;
  return {
    id,
    sequence,
    receivedAt: new Date(receivedAt).toISOString(),
    method,
    path,
    ...summary,
    signature,
    scheme: received.scheme,
    reason: received.reason,
    isDuplicate: received.isDuplicate,
    forwarded: received.forwarded,
    bytes,
    response: { status: response.status, delayMs: response.delayMs },
    fault: received.fault,
    durationMs: received.durationMs,
  };
}
