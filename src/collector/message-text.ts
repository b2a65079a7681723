import type { Event } from '../events/event.js';
import { findMember, type Member } from '../json/members.js';
import type { Stamp } from '../events/stamp.js';

/** The text of a message of a batch; a string stands for its UTF-8. */
export type MessageText = string | Buffer | ChangedText;

/** A span that is written otherwise; an insertion where it is empty. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The text of a valid event as a member of a batch: all its members byte for byte, but for a stale
 * `sentAt`, and with what `stamp` adds. An empty or null `messageId` is replaced where it stands;
 * what is absent goes to the end. An event that needs no change is its own bytes.
 */
export function messageText(event: Event, stamp: Stamp): Buffer | ChangedText {
  const isStale = event.find('sentAt') !== undefined;
  const isWhole = !stamp.writesMessageId && stamp.timestamp === undefined;
  return isWhole && !isStale
    ? event.bytes
    : new ChangedText(event.bytes, changesOf(event, stamp, isStale));
}

/** Its length in bytes. */
export function bytesOf(text: MessageText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length;
}

/** No less than its length in bytes, and known without a look at each character. */
export function mostBytesOf(text: MessageText): number {
  return typeof text === 'string' ? text.length * 3 : text.length;
}

/** Writes a text whole into `body`, which must have the room. Returns where it ends. */
export function writeText(text: MessageText, body: Buffer, at: number): number {
  if (typeof text === 'string') return at + body.write(text, at, 'utf8');
  if (text instanceof ChangedText) return text.write(body, at);
  body.set(text, at);
  return at + text.length;
}

/** The bytes of an event with changes, which are made as it is written to its place. */
export class ChangedText {
  /** In bytes. */
  readonly length: number;
  readonly #source: Buffer;
  readonly #changes: readonly Change[];

  /** `changes` are in the order of the text. */
  constructor(source: Buffer, changes: readonly Change[]) {
    this.#source = source;
    this.#changes = changes;
    let { length } = source;
    for (const { start, end, text } of changes) length += Buffer.byteLength(text) - (end - start);
    this.length = length;
  }

  /** Returns where it ends. */
  write(body: Buffer, start: number): number {
    let at = start;
    let from = 0;
    for (const change of this.#changes) {
      at += this.#source.copy(body, at, from, change.start);
      at += body.write(change.text, at, 'utf8');
      from = change.end;
    }
    return at + this.#source.copy(body, at, from);
  }
}

function changesOf({ bytes, members }: Event, stamp: Stamp, isStale: boolean): Change[] {
  const changes: Change[] = [];
  let added = '';
  const put = (name: string, value: string): void => {
    const text = JSON.stringify(value);
    const member = findMember(members, name);
    if (member) changes.push({ start: member.start, end: member.end, text });
    else added += `,"${name}":${text}`;
  };
  if (stamp.writesMessageId) put('messageId', stamp.messageId);
  if (stamp.timestamp !== undefined) put('timestamp', stamp.timestamp);
  if (isStale) changes.push(withoutSentAt(members));
  changes.sort((a, b) => a.start - b.start);
  const closingBrace = bytes.length - 1;
  if (added !== '') changes.push({ start: closingBrace, end: closingBrace, text: added });
  return changes;
}

/**
 * When an earlier sender sent it says nothing about this time, and would mislead the collector. It
 * goes with the comma behind it, or before it where it is the last; it is never the only member.
 */
function withoutSentAt(members: readonly Member[]): Change {
  const index = members.findIndex(({ name }) => name === 'sentAt');
  const next = members[index + 1];
  const { nameStart, end } = members[index]!;
  return next
    ? { start: nameStart, end: next.nameStart, text: '' }
    : { start: members[index - 1]!.end, end, text: '' };
}
