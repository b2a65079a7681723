import { headerSecrets } from '../delivery/redaction.js';
import type { OwnRequest } from '../delivery/own-request.js';
import { bodilessMethods, contentTypeOf } from '../http/header-rules.js';
import type { RequestSigner } from '../sign/request-signer.js';
import type { Comparison } from './compare.js';
import { requestSecrets, type ComposedRequest } from './compose.js';
import { shownPath } from './path.js';
import { signAnew } from './sign-anew.js';
import type { EncodedHeaders } from '../http/encoded-headers.js';

/** A composed request, and how it is signed, and its response compared. */
export interface OwnRequestParts {
  readonly composed: ComposedRequest;
  /** Of the URL that it goes to. */
  readonly origin: string;
  readonly body: Buffer;
  readonly messageId: string;
  /** None: it is sent as it is. */
  readonly signers: readonly RequestSigner[];
  readonly comparison: Comparison | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The request for the endpoint queue; it is signed each time that it is written. */
export function ownRequest(parts: OwnRequestParts): OwnRequest {
  const { composed, origin, comparison } = parts;
  const { method, path } = composed;
  const keptBytes = comparison?.keptBytes;
  return {
    url: origin + shownPath(path),
    reading: { isHead: method.toUpperCase() === 'HEAD', keptBytes },
    headers: () =>
      encodeHeaders(composed, signedPath(parts), () =>
        signed(parts)
          .headers.map(([name, value]) => `${name}: ${value}\r\n`)
          .join(''),
      ),
    ...(comparison && {
      verdictOf: (status: number) => comparison.verdictOf(status),
      verdictOfBody: (received) => comparison.verdictOfBody(received),
    }),
    secrets: () => requestSecrets(composed).flatMap(headerSecrets),
  };
}

function signed({ composed, origin, body, messageId, signers, now }: OwnRequestParts) {
  const { method, path, headers } = composed;
  const contentType = contentTypeOf(headers.flat());
  const request = { body, id: messageId, nowMs: now(), method, url: origin + path, contentType };
  return signAnew(signers, request);
}

/** A scheme may add to the query. */
function signedPath(parts: OwnRequestParts): string {
  const { signers, composed, origin } = parts;
  if (!signers.some(({ needsUrl }) => needsUrl)) return composed.path;
  return signed(parts).url.slice(origin.length);
}

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
    rest: (bodyBytes, own) => {
      const hasLength = bodyBytes > 0 || !bodilessMethods.has(method.toUpperCase());
      const length = hasLength ? `content-length: ${bodyBytes}\r\n` : '';
      return `${signature()}${own}${length}\r\n`;
    },
  };
}
