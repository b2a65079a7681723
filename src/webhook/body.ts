import type { Event, EventType } from '../events/event.js';
import { findMember } from '../events/members.js';
import type { Stamp } from '../events/stamp.js';
import { TextBuilder } from '../events/text-builder.js';

/** A member of the body: its name there, and the member of the event that it is taken from. */
type Field = readonly [bodyName: string, eventName: string];

const common: readonly Field[] = [
  ['type', 'type'],
  ['userId', 'userId'],
  ['anonymousId', 'anonymousId'],
  ['messageId', 'messageId'],
  ['timestamp', 'timestamp'],
  ['context', 'context'],
];

const page: readonly Field[] = [
  ...common,
  ['name', 'name'],
  ['category', 'category'],
  ['properties', 'properties'],
];

/** The members of a body by type, in order; section 3 of the interface. */
const fieldsOf: Record<EventType, readonly Field[]> = {
  page,
  screen: page,
  identify: [...common, ['traits', 'traits']],
  track: [...common, ['event', 'event'], ['properties', 'properties']],
  group: [...common, ['groupId', 'groupId'], ['traits', 'traits']],
  alias: [
    ...common.filter(([name]) => name !== 'userId'),
    ['Previous ID', 'previousId'],
    ['User ID', 'userId'],
  ],
  delete: [
    ['type', 'type'],
    ['userId', 'userId'],
    ['timestamp', 'timestamp'],
  ],
};

const builder = new TextBuilder();

/**
 * The body of the webhook for a valid event: JSON, each value byte for byte as in the event's own
 * text. Members that the event lacks are left out, but for what `stamp` adds.
 */
export function webhookBody(event: Event, stamp: Stamp): Buffer {
  const type = event.value.type as EventType;
  builder.ascii(type === 'delete' ? '{' : '{"version":1');
  let separator = type === 'delete' ? '"' : ',"';
  for (const [bodyName, eventName] of fieldsOf[type]) {
    if (appendField(event, stamp, `${separator}${bodyName}":`, eventName)) separator = ',"';
  }
  return builder.ascii('}').finish();
}

function appendField(event: Event, stamp: Stamp, prefix: string, name: string): boolean {
  const stamped = stampedValue(stamp, name);
  if (stamped !== undefined) {
    builder.ascii(prefix).text(JSON.stringify(stamped));
    return true;
  }
  const member = findMember(event.members, name);
  if (!member) return false;
  builder.ascii(prefix).span(event.bytes, member.start, member.end);
  return true;
}

function stampedValue(stamp: Stamp, name: string): string | undefined {
  if (name === 'messageId') return stamp.writesMessageId ? stamp.messageId : undefined;
  return name === 'timestamp' ? stamp.timestamp : undefined;
}
