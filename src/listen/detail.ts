import { isUtf8 } from 'node:buffer';
import type { RequestDetail } from '../api/listen.js';
import { explanationOf } from './explanation.js';
import { inflated } from './inflate.js';
import type { ReceivedRequest } from './received-request.js';
import { resendCommands } from './resend-commands.js';
import { ownResponseDetail, responseDetail } from './response-detail.js';
import { wholeRow } from './row.js';
import { signatureDetail } from './signature-detail.js';
import type { Verification } from './verification.js';

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
    response: responseDetail(received),
    ownResponse: ownResponseDetail(received),
    signature: signatureDetail(received),
    explanation: explanationOf(received, verification),
    commands: resendCommands(received, url, verification),
  };
}

function pairsOf(headers: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i]!, headers[i + 1]!]);
  return pairs;
}
