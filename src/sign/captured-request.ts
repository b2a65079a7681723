import { isBase64 } from '../json/base64.js';
import { isUtf8 } from 'node:buffer';
import { headerValues } from '../http/header-rules.js';
import { isObject } from '../json/is-object.js';
import type { RequestToVerify } from './request-verifier.js';

type Fields = Readonly<Record<string, unknown>>;

/** A recorded request, as far as its signature needs it. */
export interface CapturedRequest {
  readonly id: string;
  readonly method: string;
  /** Without its query, which may hold secrets. */
  readonly path: string;
  /** With its query. */
  readonly target: string;
  /** As the capture says it: usually ISO 8601. */
  readonly receivedAt: unknown;
  /** By name; a value, or a list of them. */
  readonly headers: Fields;
  readonly body: string | Buffer;
}

export interface Unreadable {
  /** Why the line is not a captured request, as the end of a sentence. */
  readonly unreadable: string;
}

/**
 * Reads one line of a capture file, or a dead letter that has a capture. Undefined for the other lines that
 * `listen --json` prints: `ready` and `summary`.
 */
export function readCaptureLine(line: Buffer): CapturedRequest | Unreadable | undefined {
  const outer = parse(line);
  if (outer === undefined) return { unreadable: 'it is not a JSON object in UTF-8' };
  if (outer.type === 'ready' || outer.type === 'summary') return undefined;
  const isLetter = outer.type === 'dead-letter';
  if (isLetter && !isObject(outer.request))
    return { unreadable: 'it is a dead letter without a request' };
  const value = isLetter ? (outer.request as Fields) : outer;
  if (value.type !== 'request') return { unreadable: 'its type is not "request"' };
  const { headers } = value;
  if (!isObject(headers)) return { unreadable: 'it has no "headers" object' };
  const body = bodyOf(value);
  if (body === undefined) return { unreadable: 'it needs either "body" or "bodyBase64"' };
  const target = text(value.path);
  return {
    id: text(value.id),
    method: text(value.method),
    path: target.replace(/[?#].*/s, ''),
    target,
    receivedAt: value.receivedAt,
    headers,
    body,
  };
}

function parse(line: Buffer): Fields | undefined {
  if (!isUtf8(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function bodyOf({ body, bodyBase64 }: Fields): string | Buffer | undefined {
  if (bodyBase64 === undefined) return typeof body === 'string' ? body : undefined;
  if (body !== undefined || typeof bodyBase64 !== 'string' || !isBase64(bodyBase64))
    return undefined;
  return Buffer.from(bodyBase64, 'base64');
}

/** A value of a captured header or member. */
function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}

/** A captured request as it was received. */
export function receivedRequest(captured: CapturedRequest): RequestToVerify {
  const { method, target, body } = captured;
  const headers = flatHeaders(captured.headers);
  return {
    headers,
    method,
    url: urlOf(headers, target),
    body: typeof body === 'string' ? Buffer.from(body) : body,
  };
}

function flatHeaders(headers: CapturedRequest['headers']): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => [name, text(one)]);
  });
}

/**
 * The URL that the sender called, which a proxy or a tunnel notes in `X-Forwarded-*`. The sender may have
 * set these itself: with a path in one of them, the URL of another request would be judged.
 */
export function urlOf(headers: readonly string[], target: string): string | undefined {
  if (/^https?:\/\//i.test(target)) return target;
  const host = firstOf(headers, 'x-forwarded-host') ?? firstOf(headers, 'host');
  const protocol = firstOf(headers, 'x-forwarded-proto') ?? 'http';
  if (host === undefined || !hostForm.test(host) || !/^https?$/.test(protocol)) return undefined;
  return `${protocol}://${host}${target}`;
}

/** A name or an address, and perhaps a port. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Each proxy adds its own value behind those that are there. */
function firstOf(headers: readonly string[], name: string): string | undefined {
  return headerValues(headers, name)[0]?.split(',')[0]!.trim() || undefined;
}
