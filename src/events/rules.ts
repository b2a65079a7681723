import { isObject } from '../json/is-object.js';
import { eventTypes, type EventType } from './event.js';
import { isTimestamp } from './timestamp.js';

/** Limits of one event. */
export const maxEventBytes = 32_768;
export const maxDepth = 200;
export const maxMessageIdLength = 100;

/** A broken rule: a stable code and one sentence. */
export interface Violation {
  readonly code: string;
  readonly message: string;
}

type Value = Readonly<Record<string, unknown>>;

/** A rule about the members of an event; returns undefined if it is kept. */
type Rule = (value: Value) => Violation | undefined;

/** The first rule that the members of an event break, in the order of `rules`. */
export function checkMembers(value: Value): Violation | undefined {
  for (const rule of rules) {
    const violation = rule(value);
    if (violation) return violation;
  }
  return undefined;
}

export function checkSize(bytes: number, maxBytes = maxEventBytes): Violation | undefined {
  if (bytes <= maxBytes) return undefined;
  return broken('too_large', `the event has ${bytes} bytes; the limit is ${maxBytes}`);
}

export function checkDepth(depth: number): Violation | undefined {
  if (depth <= maxDepth) return undefined;
  return broken('too_deep', `the event nests ${depth} levels; the limit is ${maxDepth}`);
}

const rules: readonly Rule[] = [
  hasType,
  (value) => idIsTextOrNumber(value, 'userId'),
  (value) => idIsTextOrNumber(value, 'anonymousId'),
  (value) => idIsTextOrNumber(value, 'groupId'),
  (value) => idIsTextOrNumber(value, 'previousId'),
  hasUser,
  hasPreviousId,
  hasEventName,
  hasGroupId,
  messageIdIsShort,
  timestampIsIso,
  (value) => mapIsObject(value, 'properties'),
  (value) => mapIsObject(value, 'traits'),
  (value) => mapIsObject(value, 'context'),
  (value) => mapIsObject(value, 'integrations'),
];

function hasType({ type }: Value): Violation | undefined {
  if (type === undefined) return broken('missing_type', `type is missing; ${typesText}`);
  if (eventTypes.includes(type as EventType)) return undefined;
  return broken('unknown_type', `unknown type; ${typesText}`);
}

const typesText = `expected one of ${eventTypes.join(', ')}`;

function hasUser(value: Value): Violation | undefined {
  const { type } = value;
  if (isGiven(value.userId)) return undefined;
  if (type === 'alias' || type === 'delete') {
    return broken('missing_user_id', `${type} needs userId`);
  }
  if (isGiven(value.anonymousId)) return undefined;
  return broken('missing_user', `${String(type)} needs userId or anonymousId`);
}

function hasPreviousId(value: Value): Violation | undefined {
  if (value.type !== 'alias' || isGiven(value.previousId)) return undefined;
  return broken('missing_previous_id', 'alias needs previousId');
}

function hasEventName({ type, event }: Value): Violation | undefined {
  if (type !== 'track') return undefined;
  if (event === undefined || event === null || event === '') {
    return broken('missing_event', 'track needs an "event" name');
  }
  if (typeof event === 'string') return undefined;
  return broken('event_not_text', 'the "event" name must be text');
}

function hasGroupId(value: Value): Violation | undefined {
  if (value.type !== 'group' || isGiven(value.groupId)) return undefined;
  return broken('missing_group_id', 'group needs groupId');
}

function messageIdIsShort(value: Value): Violation | undefined {
  const { messageId } = value;
  const violation = idIsTextOrNumber(value, 'messageId');
  if (violation || typeof messageId !== 'string') return violation;
  if (messageId.length <= maxMessageIdLength) return undefined;
  if (Array.from(messageId).length <= maxMessageIdLength) return undefined;
  return broken('message_id_too_long', `messageId has more than ${maxMessageIdLength} characters`);
}

function timestampIsIso({ timestamp }: Value): Violation | undefined {
  if (timestamp === undefined || isTimestamp(timestamp)) return undefined;
  return broken(
    'invalid_timestamp',
    'timestamp is not a date and time with zone, like 2026-11-20T08:30:00.000Z',
  );
}

function idIsTextOrNumber(value: Value, name: string): Violation | undefined {
  const id = value[name];
  if (id === undefined || id === null || typeof id === 'string' || typeof id === 'number') {
    return undefined;
  }
  return broken('invalid_id', `${name} is neither text nor a number`);
}

/** An empty array counts as an empty object: PHP writes an empty map as `[]`. */
function mapIsObject(value: Value, name: string): Violation | undefined {
  const member = value[name];
  if (member === undefined) return undefined;
  if (isObject(member) || (Array.isArray(member) && member.length === 0)) return undefined;
  return broken('not_an_object', `${name} is not an object`);
}

/** An empty, blank, null or absent id does not count; any number does. */
export function isGiven(id: unknown): id is string | number {
  return typeof id === 'number' || (typeof id === 'string' && !isBlank(id));
}

/** Whether a text is empty or only white space, as JavaScript trims it. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

function broken(code: string, message: string): Violation {
  return { code, message };
}

/** The code of a line that is too long, and of a dead letter that holds the beginning of one. */
export const lineTooLong = 'line_too_long';

/** A dead letter with such a beginning is rejected: it could look like a whole event. */
export const beginningOnly: Violation = {
  code: lineTooLong,
  message:
    'the dead letter holds only the beginning of a line that was too long; correct the line in its own file and import it from there',
};
