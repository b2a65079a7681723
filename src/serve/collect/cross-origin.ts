import type { IncomingHttpHeaders } from 'node:http';

type Headers = Readonly<Record<string, string>>;

/** Lets a page of any site read a response, when the request names none. */
export const readableByAnyone: Headers = { 'Access-Control-Allow-Origin': '*' };

/**
 * Headers that let a page of any site read a response. A write key is public in a browser, and
 * nothing depends on cookies; clients that send them are accepted, too.
 */
export function readableBy(origin: string): Headers {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': 'Retry-After',
    Vary: 'Origin',
  };
}

/** `*` would not cover `authorization`. */
const allowedHeaders =
  'authorization, content-type, content-encoding, x-retry-count, x-write-key, x-strict-mode';

/** What a page may send, for its preflight request. */
export function preflightHeaders(headers: IncomingHttpHeaders): Headers {
  const asked = headers['access-control-request-headers'];
  return {
    'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
    'Access-Control-Allow-Headers':
      asked === undefined ? allowedHeaders : `${allowedHeaders}, ${asked}`,
    // For a public page that calls a server on this machine.
    'Access-Control-Allow-Private-Network': 'true',
    'Access-Control-Max-Age': '86400',
  };
}
