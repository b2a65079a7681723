import { isUtf8 } from 'node:buffer';
import type { BatchEvent, RequestDetail, SignatureDetail } from '../api/listen.js';
import { explanationOf } from './explanation.js';
import { inflated } from '../receive/inflate.js';
import { notesOf } from './notes.js';
import type { ReceivedRequest } from './received-request.js';
import { resendCommands } from './resend-commands.js';
import { ownResponseDetail, responseDetail } from './response-detail.js';
import { wholeRow } from './row.js';
import { signsAgain } from './sign-again.js';
import type { Verification } from '../receive/verification.js';

/** The details of one request, computed when it is opened on the page. */
export function detailOf(
  received: ReceivedRequest,
  { url, verification }: { readonly url: string; readonly verification: Verification },
): RequestDetail {
  const { body, headers } = received;
  const readable = inflated(body);
  return {
    row: wholeRow(received),
    headers: pairsOf(headers),
    body: readable && isUtf8(readable) ? readable.toString('utf8') : null,
    bodyBase64: isUtf8(body) ? null : body.toString('base64'),
    events: eventsOf(received),
    response: responseDetail(received),
    ownResponse: ownResponseDetail(received),
    signature: signatureDetail(received),
    signsAgain: signsAgain(received, verification),
    explanation: explanationOf(received, verification),
    commands: resendCommands(received, url, verification),
  };
}

/** A body can hold thirty times as many. */
const maxEvents = 1_000;

function eventsOf({ body, path, duplicateEvents }: ReceivedRequest): BatchEvent[] {
  const { events, isBatch } = notesOf(body, path);
  if (!isBatch) return [];
  const repeated = new Set(duplicateEvents);
  return events.slice(0, maxEvents).map((event) => {
    const index = event.index!;
    return { ...event, index, isDuplicate: repeated.has(index) };
  });
}

function pairsOf(headers: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i]!, headers[i + 1]!]);
  return pairs;
}

type Signed = Pick<ReceivedRequest, 'scheme' | 'webhookId' | 'signedAt' | 'receivedAt'>;

/** What the headers of the signature say; null if none was looked for, or found. */
function signatureDetail(received: Signed): SignatureDetail | null {
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
