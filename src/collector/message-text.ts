import type { Event } from '../events/event.js';
import type { Stamp } from '../events/stamp.js';
import { ComposedText, type TextPart } from '../json/composed-text.js';
import { ObjectEditor } from '../json/object-editor.js';

/** The text of a message of a batch. */
export type MessageText = TextPart;

/**
 * The text of a valid event as a member of a batch: all its members byte for byte, without a stale
 * `sentAt`, and with the members that `stamp` adds. An empty or null `messageId` is replaced in place;
 * missing members are appended. For an event that needs no change, these are its own bytes.
 */
export function messageText(event: Event, stamp: Stamp): Buffer | ComposedText {
  const isStale = event.find('sentAt') !== undefined;
  if (!stamp.writesMessageId && stamp.timestamp === undefined && !isStale) return event.bytes;
  const editor = new ObjectEditor(event);
  if (stamp.writesMessageId) editor.set('messageId', JSON.stringify(stamp.messageId));
  if (stamp.timestamp !== undefined) editor.set('timestamp', JSON.stringify(stamp.timestamp));
  // The `sentAt` of an earlier sender would mislead the collector.
  if (isStale) editor.remove('sentAt');
  return editor.text();
}

/** Length in bytes. */
export function bytesOf(text: MessageText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length;
}

/** An upper bound of the length in bytes, without reading each character. */
export function maxBytesOf(text: MessageText): number {
  return typeof text === 'string' ? text.length * 3 : text.length;
}

/** Writes a text into `body`, which must have enough room. Returns the end offset. */
export function writeText(text: MessageText, body: Buffer, at: number): number {
  if (typeof text === 'string') return at + body.write(text, at, 'utf8');
  if (text instanceof ComposedText) return text.write(body, at);
  body.set(text, at);
  return at + text.length;
}
