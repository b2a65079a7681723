import { lineTooLong } from './long-line.js';
import { scanMembers, findMember, type Member } from '../json/members.js';
import { TextBuilder } from '../json/text-builder.js';

/** What a line holds that is not an event itself but carries one. */
export interface Wrapped {
  /** The event's text, or what stands in its place. */
  readonly bytes: Buffer;
  /** The messageId that an earlier run gave it. */
  readonly givenId?: string;
  /** Set when `bytes` is only the beginning of a line that was too long. */
  readonly isCut?: boolean;
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
  if (!text) return undefined;
  if (!event && value.code === lineTooLong) return { bytes: text, isCut: true };
  return { bytes: text, ...(typeof value.messageId === 'string' && { givenId: value.messageId }) };
}

function eventText(bytes: Buffer): Buffer | undefined {
  const member = findMember(scanMembers(bytes).members, 'event');
  return member && bytes.subarray(member.start, member.end);
}

function openCapture(value: Value): Wrapped | undefined {
  const body = plainText(value, 'body', 'bodyBase64');
  return body && { bytes: body };
}

function plainText(value: Value, textName: string, base64Name: string): Buffer | undefined {
  const text = value[textName];
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  const base64 = value[base64Name];
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
}

const builder = new TextBuilder();

/** The names that the webhook body of an alias has in place of the event's own. */
const aliasNames: ReadonlyMap<string, string> = new Map([
  ['User ID', 'userId'],
  ['Previous ID', 'previousId'],
]);

/** Gives the members of a captured alias body the names of the event; all values stay as they are. */
export function renameAlias(bytes: Buffer, members: readonly Member[]): Buffer {
  builder.ascii('{');
  members.forEach((member, i) => {
    const name = aliasNames.get(member.name);
    if (i > 0) builder.ascii(',');
    if (name) builder.ascii(`"${name}":`).span(bytes, member.start, member.end);
    else builder.span(bytes, member.nameStart, member.end);
  });
  return builder.ascii('}').finish();
}

export function isAliasBody(value: Value): boolean {
  return value.type === 'alias' && 'User ID' in value && !('userId' in value);
}
