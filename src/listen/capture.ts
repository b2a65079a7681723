import { isUtf8 } from 'node:buffer';
import { maxKeptResponseBytes } from './limits.js';
import type { PlannedResponse } from './planned-response.js';
import type { ReceivedRequest } from './received-request.js';
import type { Capture, CapturedResponse } from './webhook-receiver.js';
import { wholeCharacters } from './whole-characters.js';

/**
 * A request as one line of a capture, without its newline: the format that `send --data`, `import`
 * and `verify-sig --requests` read. Names of headers are in lower case; a repeated header has a list
 * of values.
 */
export function captureLine(received: ReceivedRequest): string {
  return JSON.stringify(captureOf(received));
}

/** The same as an object. */
export function captureOf(received: ReceivedRequest): Capture {
  const { id, receivedAt, method, path, body, signature, scheme, reason } = received;
  return {
    type: 'request',
    id,
    receivedAt: new Date(receivedAt).toISOString(),
    method,
    path,
    headers: headersOf(received),
    ...bodyMembers(body),
    signature,
    ...(scheme !== null && { scheme }),
    ...(reason !== null && { reason }),
    ...(received.isDuplicate && { duplicate: true as const }),
    response: responseOf(received.response),
    ...(received.forwarded && { forwarded: received.forwarded }),
  };
}

function bodyMembers(body: Buffer) {
  return isUtf8(body) ? { body: body.toString('utf8') } : { bodyBase64: body.toString('base64') };
}

/** With its body where `--respond` or `--forward` made it: the other ones follow from the status. */
function responseOf({ status, delayMs, content }: PlannedResponse): CapturedResponse {
  const head = { status, delayMs };
  if (!content || content.by === 'receiver') return head;
  const kept = content.body.subarray(0, maxKeptResponseBytes);
  // A shorter one is whole: its bytes stay.
  return {
    ...head,
    ...bodyMembers(kept.length < maxKeptResponseBytes ? kept : wholeCharacters(kept)),
  };
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
