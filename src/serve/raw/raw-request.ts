import { builtHere, type Event, type EventType, type Origin } from '../../events/event.js';
import type { CheckedSignature } from '../../receive/checked-signature.js';

/** What is stored of a request besides its body. Its signature is as of when it was received. */
export interface RawHead extends Pick<CheckedSignature, 'signature' | 'scheme' | 'reason'> {
  readonly method: string;
  /** As in the request line, with its query. */
  readonly path: string;
  /** How many of its characters are the path of the source; the app gets what is behind them. */
  readonly sourcePathLength: number;
  /** Name, value, name, value, …, as spelled by the sender, without hop-by-hop ones. */
  readonly headers: readonly string[];
  /** Null when the sender has gone. */
  readonly remoteAddress: string | null;
  readonly isTls: boolean;
}

/** In place of the type of an event. */
export const rawType = 'request' as EventType;

const openBracket = 0x5b;
const newline = 0x0a;

/**
 * A request of any sender on its way through the service, which stores and sends events: its bytes are its head as a
 * JSON array, a newline, and its body as received. An event is an object, so the first byte tells the two apart. It has
 * no members.
 */
export class RawRequest implements Event {
  readonly bytes: Buffer;
  readonly type = rawType;
  readonly members = [];
  readonly value = {};
  readonly origin: Origin;
  #head: RawHead | undefined;

  constructor(bytes: Buffer, origin: Origin) {
    this.bytes = bytes;
    this.origin = origin;
  }

  static of(head: RawHead, body: Buffer, source: string): RawRequest {
    const text = Buffer.from(`${JSON.stringify(fieldsOf(head))}\n`);
    const bytes = Buffer.concat([text, body]);
    return new RawRequest(bytes, builtHere(source, bytes.length));
  }

  /** @throws Error if it is damaged */
  get head(): RawHead {
    return (this.#head ??= headOf(this.bytes));
  }

  get body(): Buffer {
    return this.bytes.subarray(this.bytes.indexOf(newline) + 1);
  }

  /** The same. @throws Error if it is damaged */
  checked(): this {
    this.#head = headOf(this.bytes);
    return this;
  }

  find(): undefined {
    return undefined;
  }

  release(): void {
    this.#head = undefined;
  }

  /** A copy of its bytes alone. */
  detached(): RawRequest {
    return new RawRequest(Buffer.from(new Uint8Array(this.bytes).buffer), this.origin);
  }
}

/** Whether stored bytes are those of a request, and not of an event. */
export function isRawText(bytes: Uint8Array): boolean {
  return bytes[0] === openBracket;
}

/** Whether an event is a request of a raw source. */
export function isRaw({ type }: Pick<Event, 'type'>): boolean {
  return type === rawType;
}

/** The request that an item with the type of one is. @throws what reading its text throws */
export function rawOf(event: Event): RawRequest {
  return event instanceof RawRequest ? event : new RawRequest(event.bytes, event.origin);
}

type Fields = readonly [
  method: string,
  path: string,
  sourcePathLength: number,
  headers: readonly string[],
  remoteAddress: string | null,
  isTls: 0 | 1,
  signature: RawHead['signature'],
  scheme: RawHead['scheme'],
  reason: RawHead['reason'],
];

function fieldsOf(head: RawHead): Fields {
  const { method, path, sourcePathLength, headers, remoteAddress, isTls } = head;
  const { signature, scheme, reason } = head;
  return [
    method,
    path,
    sourcePathLength,
    headers,
    remoteAddress,
    isTls ? 1 : 0,
    signature,
    scheme,
    reason,
  ];
}

function headOf(bytes: Buffer): RawHead {
  const end = bytes.indexOf(newline);
  const fields: unknown = end < 0 ? undefined : JSON.parse(bytes.toString('utf8', 0, end));
  if (!isFields(fields)) throw new Error('the text of a request is damaged');
  const [method, path, sourcePathLength, headers, remoteAddress, isTls, signature, scheme, reason] =
    fields;
  // Members are named: it is done for each request that is sent.
  return {
    method,
    path,
    sourcePathLength,
    headers,
    remoteAddress,
    isTls: isTls === 1,
    signature,
    scheme,
    reason,
  };
}

function isFields(value: unknown): value is Fields {
  if (!Array.isArray(value)) return false;
  const [method, path, sourcePathLength, headers] = value as unknown[];
  return (
    typeof method === 'string' &&
    typeof path === 'string' &&
    typeof sourcePathLength === 'number' &&
    Array.isArray(headers) &&
    headers.every((one) => typeof one === 'string')
  );
}
