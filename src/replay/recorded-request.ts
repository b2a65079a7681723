import { isBase64 } from '../json/base64.js';
import { isObject } from '../json/is-object.js';
import { timestampMs } from '../events/timestamp.js';
import { headerValues } from '../http/header-rules.js';

/** A recorded HTTP request, as a capture has it. */
export interface RecordedRequest {
  /** Of the capture; empty if it has none. */
  readonly id: string;
  /** Milliseconds since 1970; undefined if unknown. */
  readonly receivedAt: number | undefined;
  readonly method: string;
  /** As in the request line: with its query, never normalized. */
  readonly path: string;
  /** Name, value, name, value, …, in the order of the capture. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly response: RecordedResponse | undefined;
}

export interface RecordedResponse {
  readonly status: number;
  /** Undefined if the capture does not have it. */
  readonly body: Buffer | undefined;
}

/** What is missing or wrong in a capture, as the end of a sentence. */
export type Unusable = string;

type Fields = Readonly<Record<string, unknown>>;

/** The request of a parsed capture line, or why there is none. */
export function recordedRequest(value: Fields): RecordedRequest | Unusable {
  const { id, receivedAt, method, path, headers } = value;
  if (typeof method !== 'string') return 'it has no "method"';
  if (typeof path !== 'string') return 'it has no "path"';
  const pairs = headersOf(headers ?? {});
  if (!pairs) return 'its "headers" are not an object of texts and lists of texts';
  const body = bodyOf(value);
  if (body === undefined) return 'it has neither one "body" nor one "bodyBase64" that can be read';
  if (body.length === 0 && Number(headerValues(pairs, 'content-length')[0] ?? 0) > 0) {
    return 'its body was not recorded';
  }
  return {
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : '',
    receivedAt: timestampMs(receivedAt),
    ...{ method, path, headers: pairs, body },
    response: responseOf(value.response),
  };
}

function headersOf(headers: unknown): string[] | undefined {
  if (!isObject(headers)) return undefined;
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const one of values) {
      if (typeof one !== 'string') return undefined;
      pairs.push(name, one);
    }
  }
  return pairs;
}

function responseOf(response: unknown): RecordedResponse | undefined {
  if (!isObject(response) || !Number.isInteger(response.status)) return undefined;
  const hasBody = response.body !== undefined || response.bodyBase64 !== undefined;
  return { status: response.status as number, body: hasBody ? bodyOf(response) : undefined };
}

const nothing = Buffer.alloc(0);

/** Undefined if there are two bodies, or one that cannot be read. */
function bodyOf({ body, bodyBase64 }: Fields): Buffer | undefined {
  if (bodyBase64 === undefined) {
    if (body === undefined) return nothing;
    return typeof body === 'string' ? Buffer.from(body, 'utf8') : undefined;
  }
  if (body !== undefined || typeof bodyBase64 !== 'string' || !isBase64(bodyBase64))
    return undefined;
  return Buffer.from(bodyBase64, 'base64');
}
