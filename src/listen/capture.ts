import { isUtf8 } from 'node:buffer';
import type { ReceivedRequest } from './received-request.js';

/**
 * A request as one line of a capture, without its newline: the format that `send --data`, `import`
 * and `verify-sig --requests` read. Names of headers are in lower case; a repeated header has a list
 * of values.
 */
export function captureLine(received: ReceivedRequest): string {
  const { id, receivedAt, method, path, body, signature, response } = received;
  return JSON.stringify({
    type: 'request',
    id,
    receivedAt: new Date(receivedAt).toISOString(),
    method,
    path,
    headers: headersOf(received),
    ...(isUtf8(body) ? { body: body.toString('utf8') } : { bodyBase64: body.toString('base64') }),
    signature,
    response: { status: response.status, delayMs: response.delayMs },
  });
}

type Headers = Record<string, string | string[]>;

function headersOf({ headers }: ReceivedRequest): Headers {
  // A header may be called `__proto__`.
  const found = Object.create(null) as Headers;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase();
    const value = headers[i + 1]!;
    const before = found[name];
    if (before === undefined) found[name] = value;
    else if (typeof before === 'string') found[name] = [before, value];
    else before.push(value);
  }
  return found;
}
