import type { Event, EventType } from '../events/event.js';
import { findMember, type Member } from '../json/members.js';
import type { BodyForm } from './body-form.js';
import type { Stamp } from '../events/stamp.js';

/** A member of the body: its name there, and the member of the event that it is copied from. */
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

/** The members of a body by type, in order. */
const fieldsOf: Record<EventType, readonly PreparedField[]> = {
  page: prepare(page),
  screen: prepare(page),
  identify: prepare([...common, ['traits', 'traits']]),
  track: prepare([...common, ['event', 'event'], ['properties', 'properties']]),
  group: prepare([...common, ['groupId', 'groupId'], ['traits', 'traits']]),
  alias: prepare([
    ...common.filter(([name]) => name !== 'userId'),
    ['Previous ID', 'previousId'],
    ['User ID', 'userId'],
  ]),
  delete: prepare([
    ['type', 'type'],
    ['userId', 'userId'],
    ['timestamp', 'timestamp'],
  ]),
};

const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const version = Buffer.from(`{"version":1`);
/** Upper bound for braces, version, names of stamped members, and the two names that are longer in the body. */
const overhead = 128;

/** What is posted of a valid event: its webhook body, or its own text. */
export function bodyOf(form: BodyForm, event: Event, stamp: Stamp): Buffer {
  return form === 'original' ? event.bytes : webhookBody(event, stamp);
}

/**
 * The webhook body of a valid event: JSON, each value byte for byte as in the event's text. Members that
 * the event lacks are left out, except for those that `stamp` adds.
 *
 * The bytes may be in a block of memory shared with other bodies.
 */
export function webhookBody(event: Event, stamp: Stamp): Buffer {
  const { type } = event;
  const messageId = stamp.writesMessageId ? JSON.stringify(stamp.messageId) : '';
  const timestamp = stamp.timestamp === undefined ? '' : JSON.stringify(stamp.timestamp);
  const atMost = overhead + event.bytes.length + 3 * (messageId.length + timestamp.length);
  const body = Buffer.allocUnsafe(atMost);
  let end = type === 'delete' ? 0 : writeBytes(body, 0, version);
  for (const field of fieldsOf[type]) {
    const stamped = field.isId ? messageId : field.isTime ? timestamp : '';
    if (stamped !== '') {
      end = writeBytes(body, end, field.prefix);
      end += body.write(stamped, end, 'utf8');
      continue;
    }
    const member = findMember(event.members, field.name);
    if (member) end = writeMember(body, end, event.bytes, member, field);
  }
  // The body of a delete event begins with a member's comma, which is replaced here.
  body[0] = openBrace;
  body[end++] = closeBrace;
  return body.subarray(0, end);
}

/** The parts of a field that are the same in every body. */
interface PreparedField {
  /** Name of the event's member. */
  readonly name: string;
  /** `,"name":` with the name in the body. */
  readonly prefix: Buffer;
  /** Bytes from the opening quote of the name to the value, if event and body use the same name. */
  readonly plainBytes: number | undefined;
  readonly isId: boolean;
  readonly isTime: boolean;
}

function prepare(fields: readonly Field[]): PreparedField[] {
  return fields.map(([bodyName, name]) => ({
    name,
    prefix: Buffer.from(`,"${bodyName}":`),
    plainBytes: bodyName === name ? name.length + '"":'.length : undefined,
    isId: name === 'messageId',
    isTime: name === 'timestamp',
  }));
}

/** Copies name and value at once if the name has no escapes and no whitespace around it. */
function writeMember(
  body: Buffer,
  at: number,
  source: Buffer,
  member: Member,
  { prefix, plainBytes }: PreparedField,
): number {
  const { nameStart, start, end } = member;
  // An escape is longer than what it stands for.
  if (start - nameStart === plainBytes) {
    body[at++] = comma;
    return writeSpan(body, at, source, nameStart, end);
  }
  at = writeBytes(body, at, prefix);
  return writeSpan(body, at, source, start, end);
}

function writeBytes(body: Buffer, at: number, bytes: Buffer): number {
  return writeSpan(body, at, bytes, 0, bytes.length);
}

/** Up to this many bytes a loop is faster than `copy`. */
const fewBytes = 32;

function writeSpan(body: Buffer, at: number, source: Buffer, start: number, end: number): number {
  if (end - start > fewBytes) return at + source.copy(body, at, start, end);
  while (start < end) body[at++] = source[start++]!;
  return at;
}
