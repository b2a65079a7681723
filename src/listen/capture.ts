import { isUtf8 } from 'node:buffer';
import type { Forwarded, SignatureVerdict } from '../api/listen.js';
import type { VerifyReason } from '../sign/verify-reason.js';
import { maxKeptResponseBytes } from './limits.js';
import type { PlannedResponse } from './planned-response.js';
import type { ReceivedRequest } from './received-request.js';
import { wholeCharacters } from './whole-characters.js';

/** A recorded request. Either `body` or `bodyBase64` is there, here and in its response. */
export interface Capture {
  readonly type: 'request';
  readonly id: string;
  /** ISO 8601 with milliseconds, UTC. */
  readonly receivedAt: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case; a repeated header has a list of values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as received, if it is UTF-8. */
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly signature: SignatureVerdict;
  /** By which scheme it was judged; absent where it was not, or none was found. */
  readonly scheme?: string;
  /** Why the signature is not valid. */
  readonly reason?: VerifyReason;
  /** Whether it was recognised as a repeat. */
  readonly duplicate?: true;
  readonly response: CapturedResponse;
  /** How it was passed on to an app. */
  readonly forwarded?: Forwarded;
}

/** What was answered, with the first 64 KB of the body where an app or a fixed response made it. */
export interface CapturedResponse {
  /** Null if there was none. */
  readonly status: number | null;
  readonly delayMs: number;
  readonly body?: string;
  readonly bodyBase64?: string;
}

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
  if (!content || content.by === 'enforce') return head;
  return {
    ...head,
    ...bodyMembers(wholeCharacters(content.body.subarray(0, maxKeptResponseBytes))),
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
