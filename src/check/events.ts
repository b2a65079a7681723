import {
  withAt,
  withField,
  type EventKind,
  type Field,
  type Message,
  type Sender,
} from './senders/sender.js';

/** A body with its headers, and the id that it is signed with. */
export interface CheckEvent {
  readonly body: Buffer;
  readonly messageId: string;
  readonly contentType: string;
  /** Those of its sender, without Content-Type and the signature. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Path and query, where they are not those of the URL. */
  readonly path?: string | undefined;
}

/** How an event differs from the usual one of its sender. */
export interface Variation {
  readonly kind?: EventKind;
  /** When it happened, in milliseconds since 1970. Default: now. */
  readonly nowMs?: number;
  /** Text of JSON that stands where anything may stand. */
  readonly content?: string;
  /** Members that are added to the event. */
  readonly members?: object;
  /** Its kind is one that does not exist. */
  readonly isUnknownKind?: boolean;
}

export const formType = 'application/x-www-form-urlencoded';

/** The kind of an event that does not exist. */
const unknownKind = 'evfwd_check';
const placeholder = 'evfwd-check-content';

/**
 * An event of a sender, marked as one of a check. Its body stays the same when it is parsed and written
 * again, so that only `sign.raw-bytes` shows who does that.
 */
export function checkEvent(
  sender: Sender,
  messageId: string,
  variation: Variation = {},
): CheckEvent {
  const { kind = sender.usual, nowMs = Date.now() } = variation;
  const message = kind.make({ id: messageId, nowMs });
  const text = message.form
    ? formText(message.form, sender, variation)
    : jsonText(message.json, sender, variation);
  return {
    body: Buffer.from(text),
    messageId,
    contentType: message.contentType ?? (message.form ? formType : 'application/json'),
    headers: headersOf(message, sender, variation),
    path: message.path,
  };
}

function headersOf(
  { headers = [] }: Message,
  { kind }: Sender,
  { isUnknownKind }: Variation,
): CheckEvent['headers'] {
  if (!isUnknownKind || !kind || !('header' in kind)) return headers;
  const name = kind.header.toLowerCase();
  return headers.map(([own, value]) => [own, own.toLowerCase() === name ? unknownKind : value]);
}

function jsonText(json: unknown, sender: Sender, variation: Variation): string {
  const { content, members = {}, isUnknownKind } = variation;
  const { root, free, kind } = sender;
  let value = json;
  for (const [name, member] of Object.entries(members))
    value = withAt(value, [...root, name], member);
  if (isUnknownKind && kind && 'path' in kind) {
    value = withAt(value, [...root, ...kind.path], unknownKind);
  }
  if (content === undefined || !free) return JSON.stringify(value);
  const text = JSON.stringify(withAt(value, free, placeholder));
  // A function, since `$` in a text would be read as a pattern.
  return text.replace(JSON.stringify(placeholder), () => content);
}

function formText(form: readonly Field[], { free }: Sender, { content }: Variation): string {
  const texts = content === undefined ? [] : textsIn(content);
  const [field] = free ?? [];
  const isChanged = field !== undefined && texts.length > 0;
  const fields = isChanged ? withField(form, field, texts.join(' ')) : form;
  return new URLSearchParams([...fields] as [string, string][]).toString();
}

/** The texts in a JSON value, of which a form can carry no more. */
function textsIn(content: string): string[] {
  const texts: string[] = [];
  JSON.parse(content, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}
