import { isGiven, maxMessageIdLength } from '../events/rules.js';
import type { CallFields, CallType } from './call-fields.js';

/**
 * Whether a call keeps the rules and is written by `JSON.stringify` as it stands: a plain object with
 * ids that are text, without a timestamp, and with nothing that is not the caller's to set. That is
 * how nearly all calls look. The others are not wrong for it, but take the long way.
 */
export function isUsual(type: CallType, call: CallFields): boolean {
  return isPlain(call) && hasNothingOfOurs(call) && hasItsIds(type, call) && hasPlainMaps(call);
}

function hasNothingOfOurs({ type, sentAt, timestamp, messageId }: CallFields): boolean {
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

/** An object that JSON writes as one, with the members that can be seen. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !('toJSON' in value);
}
