import { eventTypes, type EventType } from './event.js';
import { knownName, knownNames, isAt, unknownName, type KnownName } from '../json/known-names.js';
import { endOfName } from '../json/members.js';
import { ObjectScan, spansPerMember } from '../json/object-scan.js';
import { maxDepth, maxEventBytes, maxMessageIdLength } from './rules.js';
import { isTimestamp } from './timestamp.js';

/**
 * The fast path: the type of the event in `bytes[start, end)` if a scan of its bytes proves that it
 * keeps all rules, as nearly all events do. Undefined does not mean that a rule is broken, only that
 * the text has to be parsed and validated. The bytes must be UTF-8.
 */
export function fastValidate(
  bytes: Buffer,
  start: number,
  end: number,
  maxBytes = maxEventBytes,
): EventType | undefined {
  if (end - start > maxBytes || !scan.read(bytes, start) || scan.end !== end) return undefined;
  if (scan.depth > maxDepth || !findValues(bytes)) return undefined;
  const type = typeAt(bytes, starts[indexOf.type]!);
  return type !== undefined && keepsRules(bytes, type) ? type : undefined;
}

/** The result of the latest scan: the members' spans, and their depth of nesting. */
export const scan = new ObjectScan();

/** Offsets of the values of known names; `absent` where there is none. */
const starts = new Int32Array(knownNames.length);
const ends = new Int32Array(knownNames.length);
const absent = 0;

const indexOf = Object.fromEntries(knownNames.map((name, index) => [name, index])) as Record<
  KnownName,
  number
>;
const maps = [indexOf.properties, indexOf.traits, indexOf.context, indexOf.integrations];

const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const lowerN = 0x6e;
const firstBeyondAscii = 0x80;
/** Bytes from 0x80 to below this do not begin a UTF-8 character. */
const firstLead = 0xc2;
/** Two quotes. */
const quotes = 2;

/** False if a name may be duplicated. */
function findValues(bytes: Buffer): boolean {
  const { spans, count } = scan;
  starts.fill(absent);
  unknownCount = 0;
  for (let i = 0; i < count * spansPerMember; i += spansPerMember) {
    const nameStart = spans[i]! + 1;
    const start = spans[i + 1]!;
    const nameEnd = endOfName(bytes, start);
    const index = knownName(bytes, nameStart, nameEnd);
    if (index === unknownName) {
      if (!isNew(bytes, nameStart, nameEnd)) return false;
      continue;
    }
    if (starts[index] !== absent) return false;
    starts[index] = start;
    ends[index] = spans[i + 2]!;
  }
  return true;
}

const mostUnknown = 16;
/** Where the names that are not known begin, and how long they are. */
const unknown = new Int32Array(mostUnknown);
const lengths = new Int32Array(mostUnknown);
let unknownCount = 0;

/** Whether an unknown name differs from those before it. A name with an escape may equal any of them. */
function isNew(bytes: Buffer, start: number, end: number): boolean {
  if (unknownCount === mostUnknown || hasEscape(bytes, start, end)) return false;
  const length = end - start;
  for (let i = 0; i < unknownCount; i++)
    if (lengths[i] === length && areEqual(bytes, unknown[i]!, start, length)) return false;
  unknown[unknownCount] = start;
  lengths[unknownCount++] = length;
  return true;
}

function areEqual(bytes: Buffer, one: number, other: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[one + i] !== bytes[other + i]) return false;
  return true;
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === backslash) return true;
  return false;
}

const typeTexts = eventTypes.map((type) => ({ type, text: Buffer.from(`"${type}"`) }));

function typeAt(bytes: Buffer, start: number): EventType | undefined {
  if (start === absent) return undefined;
  for (const { type, text } of typeTexts) if (isAt(bytes, start, text)) return type;
  return undefined;
}

/** The rules of `rules.ts`, as far as the first byte and the length of a value decide them. */
function keepsRules(bytes: Buffer, type: EventType): boolean {
  return (
    hasUser(bytes, type) &&
    (type !== 'track' || isFilledText(bytes, indexOf.event)) &&
    (type === 'group' ? isTextId(bytes, indexOf.groupId) : isAbsent(indexOf.groupId)) &&
    (type === 'alias' ? isTextId(bytes, indexOf.previousId) : isAbsent(indexOf.previousId)) &&
    hasShortMessageId(bytes) &&
    hasTimestampOrNone(bytes) &&
    maps.every((map) => isAbsent(map) || bytes[starts[map]!] === openBrace)
  );
}

function hasUser(bytes: Buffer, type: EventType): boolean {
  const isKnown = isTextId(bytes, indexOf.userId);
  if (isAbsent(indexOf.anonymousId) || isNull(bytes, indexOf.anonymousId)) return isKnown;
  if (!isTextId(bytes, indexOf.anonymousId)) return false;
  const needsUserId = type === 'alias' || type === 'delete';
  return isKnown || (!needsUserId && (isAbsent(indexOf.userId) || isNull(bytes, indexOf.userId)));
}

function isAbsent(name: number): boolean {
  return starts[name] === absent;
}

function isNull(bytes: Buffer, name: number): boolean {
  return bytes[starts[name]!] === lowerN;
}

function isFilledText(bytes: Buffer, name: number): boolean {
  const start = starts[name]!;
  return start !== absent && bytes[start] === quote && ends[name]! - start > quotes;
}

/** First bytes of all non-ASCII white space in UTF-8; other characters begin with them, too. */
const spaceLeads = [0xc2, 0xe1, 0xe2, 0xe3, 0xef];

/**
 * Whether the text certainly has a character that is not white space. False where that would need
 * decoding.
 */
function isTextId(bytes: Buffer, name: number): boolean {
  if (!isFilledText(bytes, name)) return false;
  const end = ends[name]! - 1;
  for (let at = starts[name]! + 1; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === backslash) return false;
    const isAscii = byte < firstBeyondAscii;
    if (isAscii ? byte > space : byte >= firstLead && !spaceLeads.includes(byte)) return true;
  }
  return false;
}

/** No text has more characters than bytes. */
function hasShortMessageId(bytes: Buffer): boolean {
  if (isAbsent(indexOf.messageId)) return true;
  const length = ends[indexOf.messageId]! - starts[indexOf.messageId]! - quotes;
  return bytes[starts[indexOf.messageId]!] === quote && length <= maxMessageIdLength;
}

function hasTimestampOrNone(bytes: Buffer): boolean {
  if (isAbsent(indexOf.timestamp)) return true;
  const start = starts[indexOf.timestamp]!;
  return (
    bytes[start] === quote &&
    isTimestamp(bytes.toString('latin1', start + 1, ends[indexOf.timestamp]! - 1))
  );
}
