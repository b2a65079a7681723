import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { ownMessageId } from '../events/stamp.js';
import { headerValues } from '../http/header-rules.js';
import { isObject } from '../json/is-object.js';
import type { RecordedRequest } from './recorded-request.js';

/**
 * The id that a request is signed with and logged by: the one it was recorded with (a header of a known
 * scheme), else the messageId of its body, else one made of the capture's id and the body. It is the same
 * in each run.
 *
 * @param idHeaders names of the headers in which schemes carry an id, in lower case, the most likely first
 */
export function requestId(request: RecordedRequest, idHeaders: readonly string[]): string {
  return recordedId(request, idHeaders) ?? messageIdIn(request.body) ?? derivedId(request);
}

function recordedId(
  { headers }: RecordedRequest,
  idHeaders: readonly string[],
): string | undefined {
  const values = idHeaders.flatMap((name) => headerValues(headers, name));
  return values.find((value) => value.trim() !== '');
}

const openBrace = 0x7b;

/** The messageId of a JSON body. */
export function messageIdIn(body: Buffer): string | undefined {
  if (!body.includes(openBrace) || !body.includes('messageId') || !isUtf8(body)) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isObject(value) ? ownMessageId(value) : undefined;
  } catch {
    return undefined;
  }
}

function derivedId({ id, body }: RecordedRequest): string {
  const hash = createHash('sha256').update(`${id}\0`).update(body);
  return `msg_${hash.digest('hex').slice(0, 32)}`;
}
