import type { ResponseDetail } from '../api/listen.js';
import { headerValues } from '../http/header-rules.js';
import type { PlannedResponse } from './planned-response.js';
import type { ReceivedRequest } from './received-request.js';
import { composeResponse } from './send-response.js';

/** What the receiver responded, or why it did not. */
export function responseDetail(received: ReceivedRequest): ResponseDetail {
  const { response } = received;
  if (response.status === null) {
    const note = response.kind === 'hang' ? hung : 'No response: the connection was reset.';
    return { headers: [], body: '', note };
  }
  const { headers, body } = composeResponse(asked(received), response.status);
  const isCut = response.kind === 'truncate';
  return {
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    body: isCut ? body.slice(0, body.length >> 1) : body,
    note: noteOf(response, body.length),
  };
}

const hung = 'No response: the connection was left open.';

/** The parts of a request that its response depends on. */
function asked({ method, headers }: ReceivedRequest) {
  const valueOf = (name: string): string | undefined => headerValues(headers, name)[0];
  return {
    method,
    headers: {
      origin: valueOf('origin'),
      'access-control-request-method': valueOf('access-control-request-method'),
      'access-control-request-headers': valueOf('access-control-request-headers'),
    },
  };
}

function noteOf({ kind, slowMs }: PlannedResponse, length: number): string | null {
  const notes = [
    ...(slowMs > 0 ? [`Sent one byte every ${slowMs} ms.`] : []),
    ...(kind === 'truncate'
      ? [`The connection was closed after ${length >> 1} of ${length} bytes of the body.`]
      : []),
  ];
  return notes.length === 0 ? null : notes.join(' ');
}
