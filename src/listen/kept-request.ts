import type { ReceivedRequest } from './received-request.js';

/**
 * A received request with its headers as one text: ten thousand requests are kept, and a list of texts
 * for each would cost time whenever garbage is collected.
 */
export interface KeptRequest extends Omit<ReceivedRequest, 'headers'> {
  /** Names and values, with a NUL between them, which HTTP does not allow in a header. */
  readonly headerText: string;
}

/** The members are listed, since spreading the object takes longer. */
export function keep(received: ReceivedRequest): KeptRequest {
  return {
    headerText: received.headers.join('\0'),
    body: received.body,
    receivedAt: received.receivedAt,
    startedAt: received.startedAt,
    method: received.method,
    path: received.path,
    bytes: received.bytes,
    isTooLarge: received.isTooLarge,
    id: received.id,
    sequence: received.sequence,
    summary: received.summary,
    signature: received.signature,
    scheme: received.scheme,
    reason: received.reason,
    webhookId: received.webhookId,
    signedAt: received.signedAt,
    response: received.response,
    forwarded: received.forwarded,
    isDuplicate: received.isDuplicate,
    fault: received.fault,
    durationMs: received.durationMs,
  };
}

/** The request as it was given to `keep`. */
export function restore({ headerText, ...kept }: KeptRequest): ReceivedRequest {
  return { ...kept, headers: headerText === '' ? [] : headerText.split('\0') };
}
