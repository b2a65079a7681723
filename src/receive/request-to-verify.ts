import { urlOf } from '../sign/captured-request.js';
import type { RequestToVerify } from '../sign/request-verifier.js';
import type { IncomingRequest } from './incoming-request.js';

/** A received request as verifiers take it. */
export function requestToVerify({
  headers,
  body,
  method,
  path,
}: Pick<IncomingRequest, 'headers' | 'body' | 'method' | 'path'>): RequestToVerify {
  return { headers, body, method, url: urlOf(headers, path) };
}
