import type { Event } from '../events/event.js';
import type { Member } from '../events/members.js';
import type { Stamp } from '../events/stamp.js';
import { TextBuilder } from '../events/text-builder.js';

const builder = new TextBuilder();

/**
 * The text of a valid event as a member of a batch: all its members byte for byte, but for a stale
 * `sentAt`, and with what `stamp` adds. An empty or null `messageId` is replaced where it stands;
 * what is absent goes to the end. An event that needs no change is returned as it is, not copied.
 */
export function batchMessage(event: Event, stamp: Stamp): Buffer {
  const added = additions(stamp);
  if (added.size === 0 && !event.members.some(isStale)) return event.bytes;
  let separator = '{';
  for (const member of event.members) {
    if (isStale(member)) continue;
    builder.ascii(separator);
    appendMember(event.bytes, member, added);
    separator = ',';
  }
  for (const [name, value] of added) {
    builder.ascii(`${separator}"${name}":`).text(JSON.stringify(value));
    separator = ',';
  }
  return builder.ascii('}').finish();
}

function additions(stamp: Stamp): Map<string, string> {
  const added = new Map<string, string>();
  if (stamp.writesMessageId) added.set('messageId', stamp.messageId);
  if (stamp.timestamp !== undefined) added.set('timestamp', stamp.timestamp);
  return added;
}

/** When an earlier sender sent it says nothing about this time, and would mislead the collector. */
function isStale(member: Member): boolean {
  return member.name === 'sentAt';
}

/** Takes from `added` what it has written. */
function appendMember(bytes: Buffer, member: Member, added: Map<string, string>): void {
  const value = added.get(member.name);
  if (value === undefined) {
    builder.span(bytes, member.nameStart, member.end);
    return;
  }
  builder.span(bytes, member.nameStart, member.start).text(JSON.stringify(value));
  added.delete(member.name);
}
