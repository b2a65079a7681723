import { memberText, objectOf, type TextPart } from '../../json/composed-text.js';
import { isObject } from '../../json/is-object.js';
import { valueText, type Member } from '../../json/members.js';
import { ObjectEditor } from '../../json/object-editor.js';
import { ObjectText } from '../../json/object-text.js';
import type { Value } from './document.js';
import type { Times } from './times.js';

/** The text of a call. */
export interface CallText {
  readonly bytes: Buffer;
  /** Of `bytes`. */
  readonly members: readonly Member[];
  /** `JSON.parse` of `bytes`. */
  readonly value: Value;
}

/** What a request adds to its calls. */
export interface CallContext {
  /** From the URL; overrides that of the call. */
  readonly type?: string | undefined;
  /** From its batch; members of the call take precedence. */
  readonly context?: ObjectText | undefined;
  readonly integrations?: ObjectText | undefined;
  readonly times?: Times | undefined;
}

/**
 * The text of a call as an event: without the write key and `sentAt`, with what its request adds.
 * Values that are kept are kept byte for byte; null in place of an object counts as missing.
 */
export function eventText(call: CallText, context: CallContext): Buffer {
  const members = call.members.flatMap((member) => rewritten(member, call, context));
  return objectOf([...members, ...missing(call.value, context)]).toBuffer();
}

/** The length of a call as its client counts it: without the members for the transport. */
export function ownLength({ bytes, members }: Omit<CallText, 'value'>): number {
  return members
    .filter(({ name }) => transport.has(name))
    .reduce((length, { nameStart, end }) => length - (end - nameStart) - comma, bytes.length);
}

const comma = 1;
const openBrace = 0x7b;
const transport = new Set(['writeKey', 'sentAt']);

/** What replaces a member of the call in the event. */
function rewritten(member: Member, call: CallText, context: CallContext): TextPart[] {
  const { type, times } = context;
  const { name } = member;
  if (transport.has(name)) return [];
  if (name === 'originalTimestamp' && times?.keepsOriginal) return [];
  if (name === 'type' && type !== undefined) return [stringMember('type', type)];
  if (name === 'timestamp' && times) return correctedTimes(valueText(call.bytes, member), times);
  if (name === 'context' || name === 'integrations') {
    return mergedMap(member, call, context[name]);
  }
  if (name === 'properties' || name === 'traits') return mergedMap(member, call, undefined);
  return [unchanged(member, call)];
}

function correctedTimes(own: Buffer, { timestamp, keepsOriginal }: Times): TextPart[] {
  const members: TextPart[] = [];
  if (timestamp !== undefined) members.push(stringMember('timestamp', timestamp));
  if (keepsOriginal) members.push(memberText('originalTimestamp', own));
  return members;
}

function mergedMap(member: Member, call: CallText, under: ObjectText | undefined): TextPart[] {
  const value = call.value[member.name];
  const isNone = value === null || (under !== undefined && isEmptyArray(value));
  if (isNone) return under ? [memberText(member.name, under.bytes)] : [];
  // Where the name is duplicated, `value` is that of another member.
  const isMap = isObject(value) && call.bytes[member.start] === openBrace;
  if (!under || !isMap) return [unchanged(member, call)];
  const own = new ObjectText(valueText(call.bytes, member));
  return [memberText(member.name, ObjectEditor.merge(own, under).text())];
}

function missing(value: Value, call: CallContext): TextPart[] {
  const { type, context, integrations, times } = call;
  const has = (name: string): boolean => Object.hasOwn(value, name);
  const members: TextPart[] = [];
  if (type !== undefined && !has('type')) members.push(stringMember('type', type));
  if (times?.timestamp !== undefined && !has('timestamp')) {
    members.push(stringMember('timestamp', times.timestamp));
  }
  if (context && !has('context')) members.push(memberText('context', context.bytes));
  if (integrations && !has('integrations')) {
    members.push(memberText('integrations', integrations.bytes));
  }
  return members;
}

function stringMember(name: string, value: string): TextPart {
  return memberText(name, JSON.stringify(value));
}

function unchanged({ nameStart, end }: Member, { bytes }: CallText): Buffer {
  return bytes.subarray(nameStart, end);
}

/** How PHP sends an empty map. */
function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
