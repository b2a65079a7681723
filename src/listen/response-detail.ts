import { isUtf8 } from 'node:buffer';
import type { Forwarded, ResponseDetail } from '../api/listen.js';
import { headerValues } from '../http/header-rules.js';
import { responseFor, type PlannedResponse } from './planned-response.js';
import type { ReceivedRequest } from './received-request.js';
import { composeResponse } from './send-response.js';
import { wholeCharacters } from './whole-characters.js';

/** What was responded, or why nothing was. */
export function responseDetail(received: ReceivedRequest): ResponseDetail {
  const { response, forwarded } = received;
  if (forwarded && response.content) return forwardedDetail(response, forwarded);
  if (response.status === null) {
    const note = response.kind === 'hang' ? hung : 'No response: the connection was reset.';
    return { headers: [], body: '', note };
  }
  const { headers, body } = composeResponse(asked(received), response);
  const isCut = response.kind === 'truncate';
  const sent = isCut ? body.subarray(0, body.length >> 1) : body;
  const note = noteOf(response, body.length);
  return { headers, ...shown(sent, note === null ? [] : [note]) };
}

/** What we would have responded without `--forward`; null for a request that was not forwarded. */
export function ownResponseDetail(received: ReceivedRequest): ResponseDetail | null {
  if (!received.forwarded) return null;
  return { ...composeOwn(received), note: null };
}

function composeOwn(received: ReceivedRequest) {
  const { headers, body } = composeResponse(asked(received), responseFor(undefined));
  return { headers, body: body.toString('utf8') };
}

const hung = 'No response: the connection was left open.';

/** An app's response was passed on with the headers that are kept of it. */
function forwardedDetail(
  { status, content }: PlannedResponse,
  { error }: Forwarded,
): ResponseDetail {
  const { headers, body, isWhole } = content!;
  const notes = [
    ...(status === null ? ['No response: the sender had closed the connection.'] : []),
    ...(isWhole || error !== null ? [] : [`Only the first ${body.length} bytes are kept.`]),
  ];
  return { headers, ...shown(body, notes) };
}

/** A body as text; what is no text is only described. */
function shown(bytes: Buffer, notes: readonly string[]): Pick<ResponseDetail, 'body' | 'note'> {
  const isText = isUtf8(wholeCharacters(bytes));
  const all = isText ? notes : [...notes, `The body is ${bytes.length} bytes that are no text.`];
  return {
    body: isText ? wholeCharacters(bytes).toString('utf8') : '',
    note: all.length === 0 ? null : all.join(' '),
  };
}

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
