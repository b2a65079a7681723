import { maxKeptResponseBytes } from './limits.js';
import { summaryOf } from './notes.js';
import type { PlannedResponse } from './planned-response.js';
import type { ReceivedRequest } from './received-request.js';
import type { Answer, Exchange } from './stages/stage.js';

/**
 * A request with all that is known once its answer is decided, or has been forwarded. The members are
 * listed, since spreading objects here took longer than all else that is done for a request.
 */
export function completed(
  { incoming, notes, judged }: Exchange,
  { response, fault, forwarded, isDuplicate }: Answer,
  { id, sequence }: Pick<ReceivedRequest, 'id' | 'sequence'>,
): ReceivedRequest {
  const durationMs = performance.now() - incoming.startedAt + response.delayMs;
  return {
    receivedAt: incoming.receivedAt,
    startedAt: incoming.startedAt,
    method: incoming.method,
    path: incoming.path,
    headers: incoming.headers,
    body: incoming.body,
    bytes: incoming.bytes,
    isTooLarge: incoming.isTooLarge,
    id,
    sequence,
    summary: summaryOf(notes),
    signature: judged.signature,
    scheme: judged.scheme,
    reason: judged.reason,
    webhookId: judged.webhookId,
    signedAt: judged.signedAt,
    response: withoutRest(response),
    forwarded,
    isDuplicate,
    fault,
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}

/** Thousands are kept: of a long body only the beginning, as a copy. */
function withoutRest(response: PlannedResponse): PlannedResponse {
  const { content } = response;
  if (!content || content.body.length <= maxKeptResponseBytes) return response;
  const body = Buffer.from(content.body.subarray(0, maxKeptResponseBytes));
  return { ...response, content: { ...content, body, isWhole: false } };
}
