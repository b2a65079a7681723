import { ComposedText, memberText, type TextPart } from '../json/composed-text.js';
import { scanElements } from '../json/elements.js';
import { valueAt, valueText } from '../json/members.js';
import { ObjectText } from '../json/object-text.js';
import { endOfValue, skipSpace } from '../json/scan.js';

const quote = 0x22;
const openBrace = 0x7b;
const openBracket = 0x5b;
const lowerN = 0x6e;

/** The bytes of a member's value; undefined if it is absent, null or an empty text. */
export function filled(record: ObjectText | undefined, name: string): Buffer | undefined {
  const member = record?.find(name);
  if (!record || !member || record.bytes[member.start] === lowerN) return undefined;
  const text = valueText(record.bytes, member);
  return text[0] === quote && text.length === 2 ? undefined : text;
}

/** The first that is `filled`. */
export function firstFilled(
  record: ObjectText | undefined,
  names: readonly string[],
): Buffer | undefined {
  for (const name of names) {
    const text = filled(record, name);
    if (text) return text;
  }
  return undefined;
}

/** The meaning of a text; undefined for any other value. */
export function stringOf(value: Buffer | undefined): string | undefined {
  if (value?.[0] !== quote) return undefined;
  return valueAt(value, { start: 0, end: value.length }) as string;
}

/** The text that a JSON value stands for: a text without its quotes, else its spelling. */
export function spellingOf(value: Buffer | undefined): string | undefined {
  return stringOf(value) ?? value?.toString();
}

/** The object of a member, whether it is there as JSON or as a text that holds JSON. */
export function objectAt(record: ObjectText, name: string): ObjectText | undefined {
  const value = filled(record, name);
  if (value?.[0] === openBrace) return new ObjectText(value);
  const text = stringOf(value);
  const object = text === undefined ? undefined : new ObjectText(Buffer.from(text.trim()));
  return object?.isValid === true ? object : undefined;
}

/** The elements of a list, each as its own bytes; none of any other value. */
export function elementsOf(value: Buffer | undefined): Buffer[] {
  if (value?.[0] !== openBracket) return [];
  return scanElements(value, 0).map(({ start, end }) => value.subarray(start, end));
}

/** Whether a text is one JSON value. */
export function isJson(text: Buffer): boolean {
  const end = endOfValue(text, skipSpace(text, 0), { depth: 1 });
  return end >= 0 && skipSpace(text, end) === text.length;
}

/** A JSON object of the members that have a value; undefined if none has one. */
export function objectFrom(
  members: Iterable<readonly [name: string, value: TextPart | undefined]>,
): ComposedText | undefined {
  const text = new ComposedText().add('{');
  let count = 0;
  for (const [name, value] of members) {
    if (value === undefined) continue;
    if (count++ > 0) text.add(',');
    text.add(memberText(name, value));
  }
  return count > 0 ? text.add('}') : undefined;
}
