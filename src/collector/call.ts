import { ValidationError } from '../errors.js';
import { scanMembers } from '../json/members.js';
import {
  checkDepth,
  checkMembers,
  checkSize,
  isBlank,
  maxDepth,
  maxEventBytes,
  type Violation,
} from '../events/rules.js';
import { ownMessageId } from '../events/stamp.js';
import type { CallFields, CallType } from './call-fields.js';
import { bytesOf, maxBytesOf } from './message-text.js';
import { isPlain, isUsual } from './usual-call.js';
import { randomUUID } from 'node:crypto';

/** A checked call as JSON text. */
export interface WrittenCall {
  readonly messageId: string;
  readonly text: string;
}

/**
 * Writes a call as the text that is sent, and adds a missing messageId or timestamp.
 * `now` is in milliseconds since 1970.
 * @throws ValidationError with the code of the first rule that is broken, the rules of event files;
 * `not_serializable` for a value that JSON cannot carry (BigInt, circular reference).
 */
export function writeCall(type: CallType, call: CallFields, now: number): WrittenCall {
  if (typeof call !== 'object' || (call as unknown) === null) throw notACall(type);
  return isUsual(type, call) ? writeUsual(type, call, now) : writeAny(type, call, now);
}

/** Adds members around the call's own text, which avoids copying the call. */
function writeUsual(type: CallType, call: CallFields, now: number): WrittenCall {
  const given = call.messageId as string | undefined;
  const messageId = given ?? newMessageId();
  const own = stringify(call);
  const id = given === undefined ? `"messageId":"${messageId}",` : '';
  const text = `{"type":"${type}",${own.slice(1, -1)},${id}"timestamp":"${isoTime(now)}"}`;
  const violation = checkLength(text) ?? checkNesting(own);
  if (violation) throw new ValidationError(violation.code, violation.message);
  return { messageId, text };
}

function writeAny(type: CallType, call: CallFields, now: number): WrittenCall {
  const given = ownMessageId(call);
  const messageId = given ?? newMessageId();
  const message = { type, ...call } as Record<string, unknown>;
  // Callers cannot set `type` or `sentAt`, and a `toJSON` would change what is written.
  message.type = type;
  message.sentAt = message.toJSON = undefined;
  if (given === undefined && !isStrange(call.messageId)) message.messageId = messageId;
  const isUndated = call.timestamp === undefined;
  message.timestamp = isUndated ? isoTime(now) : timestampOf(call.timestamp);
  const text = stringify(message);
  // A generated timestamp is valid, and its rule takes longer than all others together.
  if (isUndated) message.timestamp = undefined;
  const violation =
    checkLength(text) ??
    checkNesting(text) ??
    checkNumbers(message) ??
    checkMembers(asWritten(message, text));
  if (violation) throw new ValidationError(violation.code, violation.message);
  return { messageId, text };
}

function notACall(type: CallType): ValidationError {
  return new ValidationError(
    'not_an_event',
    `${type} expects an object with the fields of the call`,
  );
}

/** Whether an id has a wrong type, which the rules report. */
function isStrange(id: unknown): boolean {
  if (id === undefined || id === null) return false;
  return typeof id !== 'string' || !isBlank(id);
}

function timestampOf(given: unknown): unknown {
  if (!(given instanceof Date)) return given;
  // An invalid Date has no ISO form; null is refused by the rule for timestamps.
  return Number.isNaN(given.getTime()) ? null : given.toISOString();
}

function stringify(message: object): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    throw notWritten(error);
  }
}

/** V8's messages quote names and values of the call, so they are not passed on. */
function notWritten(error: unknown): ValidationError {
  if (!(error instanceof RangeError)) {
    const what = 'a BigInt, a circular reference, or a toJSON that throws';
    return new ValidationError(
      'not_serializable',
      `the call has a value that JSON cannot represent: ${what}`,
    );
  }
  if (error.message.includes('string length')) {
    return new ValidationError('too_large', 'the event is too large for a string');
  }
  const message = `the event is nested too deeply; at most ${maxDepth} levels are allowed`;
  return new ValidationError('too_deep', message);
}

function checkLength(text: string): Violation | undefined {
  return maxBytesOf(text) > maxEventBytes ? checkSize(bytesOf(text)) : undefined;
}

function checkNesting(text: string): Violation | undefined {
  return mayBeDeep(text) ? checkDepth(scanMembers(Buffer.from(text)).depth) : undefined;
}

/** Counting brackets, even those in strings, is fast and rules out nearly every event. */
function mayBeDeep(text: string): boolean {
  return text.length > 2 * maxDepth && count(text, '{') + count(text, '[') > maxDepth;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found++;
  return found;
}

/** JSON writes NaN and infinities as null, which would be a missing id. */
function checkNumbers(message: Record<string, unknown>): Violation | undefined {
  const { userId, anonymousId, messageId, groupId, previousId } = message;
  if (
    isWritable(userId) &&
    isWritable(anonymousId) &&
    isWritable(messageId) &&
    isWritable(groupId) &&
    isWritable(previousId)
  ) {
    return undefined;
  }
  return { code: 'invalid_id', message: 'an id is NaN or infinite, which JSON cannot represent' };
}

function isWritable(id: unknown): boolean {
  return typeof id !== 'number' || Number.isFinite(id);
}

/** The value to check: an instance of a class may be written as something other than an object. */
function asWritten(message: Record<string, unknown>, text: string): Record<string, unknown> {
  const { properties, traits, context, integrations } = message;
  const maps = [properties, traits, context, integrations];
  return maps.every((map) => isPlainOrNone(map))
    ? message
    : (JSON.parse(text) as Record<string, unknown>);
}

function isPlainOrNone(value: unknown): boolean {
  return typeof value !== 'object' || value === null || isPlain(value);
}

let latest = { ms: NaN, text: '' };

/** A time in milliseconds since 1970, as ISO 8601; cached, since there are hundreds of calls per millisecond. */
function isoTime(ms: number): string {
  if (latest.ms !== ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}

/** The last two digits of an id; 256 ids share one random UUID. */
const endings = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

let beginning = '';
let used = endings.length;

/**
 * A random UUID, as a messageId. Each 256 ids share 114 random bits, and 8 bits count up. Collisions are as
 * unlikely as with random UUIDs, at a tenth of the time.
 */
export function newMessageId(): string {
  if (used === endings.length) {
    beginning = randomUUID().slice(0, -2);
    used = 0;
  }
  return beginning + endings[used++]!;
}
