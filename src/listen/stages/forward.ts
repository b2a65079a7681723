import type { Forwarder, ForwardResult } from '../forward/forwarder.js';
import type { PlannedResponse } from '../planned-response.js';
import { answerWith, type Stage } from './stage.js';

/** Passes every request on to an app, whose response is sent as it comes. */
export function forward(forwarder: Forwarder): Stage {
  return async ({ incoming, response }) => {
    const { remoteAddress } = response.req.socket;
    const result = await forwarder.forward({ ...incoming, remoteAddress }, response);
    const { url, status, durationMs, error } = result;
    const forwarded = { url, status, durationMs, error };
    return { ...answerWith(responseOf(result)), forwarded, isSent: true };
  };
}

/** What the sender got; nothing if it had gone. */
function responseOf(result: ForwardResult): PlannedResponse {
  const { sentStatus, headers, bodyExcerpt: body, bodyBytes, error } = result;
  const isWhole = error === null && body.length === bodyBytes;
  return {
    status: sentStatus,
    delayMs: 0,
    kind: sentStatus === null ? 'gone' : 'whole',
    slowMs: 0,
    content: { by: 'forward', headers, body, isWhole },
  };
}
