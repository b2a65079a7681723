import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'node:querystring';
import { isObject } from '../../json/is-object.js';
import type { Value } from './document.js';

/** The write key of the headers: `Authorization: Basic`, else `X-Write-Key`. */
export function keyOfHeaders(headers: IncomingHttpHeaders): string | undefined {
  return keyOfBasic(headers.authorization) ?? keyOfPair(headers['x-write-key']);
}

/** The write key of a body: its own member, else that of the first message of a batch that has one. */
export function keyOfBody(body: Value): string | undefined {
  const key = given(body.writeKey);
  if (key !== undefined || !Array.isArray(body.batch)) return key;
  for (const message of body.batch as unknown[]) {
    const own = isObject(message) ? given(message.writeKey) : undefined;
    if (own !== undefined) return own;
  }
  return undefined;
}

/** The write key of a query, `?writeKey=`, used by beacons and pixels. */
export function keyOfQuery(query: string): string | undefined {
  return query === '' ? undefined : given(parse(query).writeKey);
}

/** Base64 of the key and a colon; the colon may be missing, a password is ignored. */
function keyOfBasic(header: string | undefined): string | undefined {
  const base64 = /^basic +(\S+)/i.exec(header ?? '')?.[1];
  if (base64 === undefined) return undefined;
  return keyOfPair(Buffer.from(base64, 'base64').toString('utf8'));
}

/** Of `key:password`. Jitsu's client insists on keys of that form. */
function keyOfPair(pair: string | string[] | undefined): string | undefined {
  return typeof pair === 'string' ? given(pair.split(':')[0]) : undefined;
}

function given(key: unknown): string | undefined {
  return typeof key === 'string' && key !== '' ? key : undefined;
}
