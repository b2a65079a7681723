import type { EncodedHeaders } from '../http/encoded-headers.js';
import type { ComposedRequest } from './compose.js';

/** Methods whose requests have a length only if they have a body. */
const withoutLength = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/**
 * The bytes of a request before its body.
 *
 * @param path where a signature has changed that of `request`, this one
 * @param signature header lines, each with its CRLF; asked for each time the request is written
 */
export function encodeHeaders(
  { method, host, headers }: ComposedRequest,
  path: string,
  signature: () => string,
): EncodedHeaders {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    'connection: keep-alive',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return {
    fixed: Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1'),
    rest: (bodyBytes) => {
      const hasLength = bodyBytes > 0 || !withoutLength.has(method.toUpperCase());
      const length = hasLength ? `content-length: ${bodyBytes}\r\n` : '';
      return `${signature()}${length}\r\n`;
    },
  };
}
