import type { IncomingHttpHeaders } from 'node:http';

type Headers = Readonly<Record<string, string>>;

const anyone: Headers = { 'Access-Control-Allow-Origin': '*' };

/**
 * The headers with which a page of any site may read an answer. A write key is no secret in a
 * browser, and nothing here hangs on cookies; clients that send them are let through, too.
 */
export function crossOriginHeaders({ origin }: IncomingHttpHeaders): Headers {
  if (origin === undefined) return anyone;
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': 'Retry-After',
    Vary: 'Origin',
  };
}

/** A star would not cover `authorization`. */
const allowedHeaders =
  'authorization, content-type, content-encoding, x-retry-count, x-write-key, x-strict-mode';

/** The same for the question whether a request may be made. */
export function preflightHeaders(headers: IncomingHttpHeaders): Headers {
  const asked = headers['access-control-request-headers'];
  return {
    'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
    'Access-Control-Allow-Headers':
      asked === undefined ? allowedHeaders : `${allowedHeaders}, ${asked}`,
    // For a page of the internet that speaks to a server of this machine.
    'Access-Control-Allow-Private-Network': 'true',
    'Access-Control-Max-Age': '86400',
  };
}
