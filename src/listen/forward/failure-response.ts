import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { HeaderPair } from './headers-for-sender.js';
import { noSent, type SentResponse } from './sent-response.js';

/** Why a request got no response of the app; the names of `AttemptError`, and two of a proxy. */
export type ForwardError =
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'dns'
  | 'protocol'
  | 'tls'
  /** It waited for its turn for too long, and was not sent to the app. */
  | 'busy'
  /** The sender has closed its connection, or the receiver was closed. */
  | 'aborted'
  | 'internal_error';

/** For the sender, who is told nothing of this machine. */
const messages: Readonly<Record<ForwardError, string>> = {
  timeout: 'the app behind this receiver did not respond in time',
  refused: 'the app behind this receiver accepts no connection; is it running?',
  reset: 'the app behind this receiver closed the connection before it responded',
  dns: 'the host of the app behind this receiver cannot be resolved',
  protocol: 'the response of the app behind this receiver is not valid HTTP',
  tls: 'the certificate of the app behind this receiver is not trusted',
  busy: 'the app behind this receiver is busy with other requests and did not get this one; send it again later',
  aborted: 'the receiver was closed before the app responded',
  internal_error: 'the request could not be forwarded',
};

const statuses: Partial<Record<ForwardError, number>> = { timeout: 504, busy: 503 };

/** Responds 504 for a timeout, 503 for a busy app, 502 for all else, with a small JSON body. */
export function sendFailure(response: ServerResponse, error: ForwardError): SentResponse {
  if (response.closed || response.headersSent) return noSent;
  const status = statuses[error] ?? 502;
  const body = Buffer.from(
    JSON.stringify({ error: { code: `app_${error}`, message: messages[error] } }),
  );
  const headers: HeaderPair[] = [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(body.length)],
  ];
  // Without a reason, it would be the one of the app that could not be sent.
  response.writeHead(status, STATUS_CODES[status], headers.flat());
  response.end(body);
  const hasBody = response.req.method !== 'HEAD';
  const sent = hasBody ? body : Buffer.alloc(0);
  return { sentStatus: status, headers, bodyExcerpt: sent, bodyBytes: sent.length };
}
