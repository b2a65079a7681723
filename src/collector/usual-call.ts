import { isGiven, maxMessageIdLength } from '../events/rules.js';
import type { CallFields, CallType } from './call-fields.js';

/**
 * Whether a call is valid and can be written by `JSON.stringify` unchanged: a plain object with string ids,
 * without a timestamp, and without members that only the client sets. Nearly all calls are like that. Other
 * calls may be valid as well, but are checked by all rules.
 */
export function isUsual(type: CallType, call: CallFields): boolean {
  return isPlain(call) && lacksReservedMembers(call) && hasItsIds(type, call) && hasPlainMaps(call);
}

function lacksReservedMembers({ type, sentAt, timestamp, messageId }: CallFields): boolean {
  if (type !== undefined || sentAt !== undefined || timestamp !== undefined) return false;
  return messageId === undefined || (isTextId(messageId) && messageId.length <= maxMessageIdLength);
}

function hasItsIds(type: CallType, call: CallFields): boolean {
  const { userId, anonymousId, groupId, previousId } = call;
  const hasUser = isTextId(userId) || (userId === undefined && type !== 'alias');
  return (
    hasUser &&
    (anonymousId === undefined ? userId !== undefined : isTextId(anonymousId)) &&
    (type === 'group' ? isTextId(groupId) : groupId === undefined) &&
    (type === 'alias' ? isTextId(previousId) : previousId === undefined) &&
    (type !== 'track' || isText(call.event))
  );
}

function hasPlainMaps({ properties, traits, context, integrations }: CallFields): boolean {
  return isMap(properties) && isMap(traits) && isMap(context) && isMap(integrations);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTextId(value: unknown): value is string {
  return isText(value) && isGiven(value);
}

function isMap(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && isPlain(value));
}

/** Whether JSON writes an object with exactly its own members. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !('toJSON' in value);
}
