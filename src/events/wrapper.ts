import { lineTooLong } from './rules.js';
import { memberText, objectOf } from '../json/composed-text.js';
import { isObject } from '../json/is-object.js';
import { findMember, scanMembers, valueText, type Member } from '../json/members.js';

/** The event that a dead-letter or capture line carries. */
export interface Wrapped {
  /** The event's text, or the text of a line that was not a valid event. */
  readonly bytes: Buffer;
  /** The messageId that an earlier run gave it. */
  readonly givenId?: string;
  /** Set when `bytes` is only the beginning of a line that was too long. */
  readonly isCut?: boolean;
  /** Set when `bytes` is the body of a captured request. */
  readonly isCapture?: boolean;
}

type Value = Readonly<Record<string, unknown>>;

/** Opens a dead-letter line or a capture line; undefined for any other. */
export function openWrapper(bytes: Buffer, value: Value): Wrapped | undefined {
  if (value.type === 'dead-letter') return openDeadLetter(bytes, value);
  if (value.type === 'request') return openCapture(value);
  return undefined;
}

function openDeadLetter(bytes: Buffer, value: Value): Wrapped | undefined {
  const event = eventText(bytes);
  const text = event ?? plainText(value, 'raw', 'rawBase64');
  if (!text) return isObject(value.request) ? openCapture(value.request) : undefined;
  if (!event && value.code === lineTooLong) return { bytes: text, isCut: true };
  return { bytes: text, ...(typeof value.messageId === 'string' && { givenId: value.messageId }) };
}

function eventText(bytes: Buffer): Buffer | undefined {
  const member = findMember(scanMembers(bytes).members, 'event');
  return member && valueText(bytes, member);
}

function openCapture(value: Value): Wrapped | undefined {
  const body = plainText(value, 'body', 'bodyBase64');
  return body && { bytes: body, isCapture: true };
}

function plainText(value: Value, textName: string, base64Name: string): Buffer | undefined {
  const text = value[textName];
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  const base64 = value[base64Name];
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
}

/** The webhook body of an alias uses these names instead of the event's own. */
const aliasNames: ReadonlyMap<string, string> = new Map([
  ['User ID', 'userId'],
  ['Previous ID', 'previousId'],
]);

/** Restores the event's member names in a captured alias body; all values stay unchanged. */
export function renameAlias(bytes: Buffer, members: readonly Member[]): Buffer {
  const renamed = members.map((member) => {
    const name = aliasNames.get(member.name);
    return name === undefined
      ? bytes.subarray(member.nameStart, member.end)
      : memberText(name, valueText(bytes, member));
  });
  return objectOf(renamed).toBuffer();
}

export function isAliasBody(value: Value): boolean {
  return value.type === 'alias' && 'User ID' in value && !('userId' in value);
}
