import { isUtf8 } from 'node:buffer';
import { isObject } from '../json/is-object.js';

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
 * Reads one line of a capture file. Undefined for the other lines that `listen --json` prints:
 * `ready` and `summary`.
 */
export function readCaptureLine(line: Buffer): CapturedRequest | Unreadable | undefined {
  const value = parse(line);
  if (value === undefined) return { unreadable: 'it is not a JSON object in UTF-8' };
  if (value.type === 'ready' || value.type === 'summary') return undefined;
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

function isBase64(value: string): boolean {
  return value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

/**
 * A value of a captured header or member.
 * @internal
 */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}
