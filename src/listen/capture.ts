import { capturedBody, capturedHeaders } from '../receive/capture-members.js';
import { maxKeptResponseBytes } from './limits.js';
import type { PlannedResponse } from './planned-response.js';
import type { ReceivedRequest } from './received-request.js';
import type { Capture, CapturedResponse } from './webhook-receiver.js';
import { wholeCharacters } from './whole-characters.js';

/**
 * A request as one line of a capture, without its newline: the format that `send --data`, `import`
 * and `verify-sig --requests` read. Names of headers are in lower case; a repeated header has a list
 * of values.
 */
export function captureLine(received: ReceivedRequest): string {
  return JSON.stringify(captureOf(received));
}

/** The same as an object. */
export function captureOf(received: ReceivedRequest): Capture {
  const { id, receivedAt, method, path, body, signature, scheme, reason } = received;
  return {
    type: 'request',
    id,
    receivedAt: new Date(receivedAt).toISOString(),
    method,
    path,
    headers: capturedHeaders(received.headers),
    ...capturedBody(body),
    signature,
    ...(scheme !== null && { scheme }),
    ...(reason !== null && { reason }),
    ...(received.isDuplicate && { duplicate: true as const }),
    ...(received.duplicateEvents.length > 0 && { duplicateEvents: received.duplicateEvents }),
    response: responseOf(received.response),
    ...(received.forwarded && { forwarded: received.forwarded }),
  };
}

/** With its body where `--respond` or `--forward` made it: the other ones follow from the status. */
function responseOf({ status, delayMs, content }: PlannedResponse): CapturedResponse {
  const head = { status, delayMs };
  if (!content || content.by === 'receiver') return head;
  const kept = content.body.subarray(0, maxKeptResponseBytes);
  // A shorter one is whole: its bytes stay.
  return {
    ...head,
    ...capturedBody(kept.length < maxKeptResponseBytes ? kept : wholeCharacters(kept)),
  };
}
