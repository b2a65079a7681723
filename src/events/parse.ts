import { isUtf8 } from 'node:buffer';
import type { Event, EventType, Origin, Problem } from './event.js';
import { fastValidate, scan } from './fast-validate.js';
import { isObject } from '../json/is-object.js';
import { repeatedName, scanMembers } from '../json/members.js';
import {
  beginningOnly,
  checkDepth,
  checkMembers,
  checkSize,
  maxEventBytes,
  type Violation,
} from './rules.js';
import { TextEvent, withGivenId } from './text-event.js';
import { isAliasBody, openWrapper, renameAlias } from './wrapper.js';

/** A text above this cannot be an event and is not parsed: its parsed value could fill memory. */
const maxParsedBytes = 1024 * 1024;

/**
 * Reads one line: an event, a dead letter or a capture line that carries one. A line has at most
 * `maxLineBytes`: the reader rejects longer ones.
 *
 * @param isText Whether the bytes are known to be UTF-8; else that is checked.
 */
export function parseLine(bytes: Buffer, origin: Origin, isText = false): Event | Problem {
  const text = trim(bytes);
  const areText = isText || isUtf8(text);
  return (areText && fastPath(text, origin)) || validateLine(text, origin, areText);
}

function validateLine(text: Buffer, origin: Origin, isText: boolean): Event | Problem {
  const value = parseObject(text, isText);
  if (value instanceof Refusal) return refused(text, origin, value);
  const wrapped = openWrapper(text, value);
  if (!wrapped) return finishEvent(text, value, origin);
  if (wrapped.isCut) return problem(wrapped.bytes, origin, beginningOnly, false);
  const item = parseWrapped(trim(wrapped.bytes), origin, wrapped.isCapture);
  return withGivenId(item, wrapped.givenId);
}

/**
 * The event of a UTF-8 text without space around it, if the fast path accepts it; undefined if the text
 * has to be parsed and validated.
 *
 * @param maxBytes Default: `maxEventBytes`.
 */
export function fastPath(text: Buffer, origin: Origin, maxBytes?: number): Event | undefined {
  const type = fastValidate(text, 0, text.length, maxBytes);
  return type && new TextEvent(text, type, origin, undefined, { spans: scan.takeSpans() });
}

/**
 * Reads the text of one event. Anything else is a problem, wrappers included.
 *
 * @param maxBytes Above the limit of `rules.ts` for an event that was within it when it arrived and
 *   has had members added since.
 */
export function parseEvent(
  bytes: Buffer,
  origin: Origin,
  maxBytes = maxEventBytes,
): Event | Problem {
  const text = trim(bytes);
  if (text.length > maxParsedBytes) return problem(text, origin, checkSize(text.length)!, false);
  const isText = isUtf8(text);
  return (
    (isText && fastPath(text, origin, maxBytes)) || validateEvent(text, origin, isText, maxBytes)
  );
}

function validateEvent(
  text: Buffer,
  origin: Origin,
  isText: boolean,
  maxBytes: number,
): Event | Problem {
  const value = parseObject(text, isText);
  if (value instanceof Refusal) return refused(text, origin, value);
  return finishEvent(text, value, origin, maxBytes);
}

function parseWrapped(text: Buffer, origin: Origin, isCapture = false): Event | Problem {
  if (!isCapture) return parseEvent(text, origin);
  if (text.length === 0) return problem(text, origin, noEvent, false);
  const value = parseObject(text, false);
  if (value instanceof Refusal && !isArray(text, value))
    return problem(text, origin, ofCapture(value.violation), value.isJson);
  if (value instanceof Refusal || Array.isArray(value.batch))
    return problem(text, origin, batchCapture, true);
  if (value.type === undefined) return problem(text, origin, noEvent, true);
  if (!isAliasBody(value)) return finishEvent(text, value, origin);
  return parseEvent(renameAlias(text, scanMembers(text).members), origin);
}

function isArray(text: Buffer, { isJson }: Refusal): boolean {
  return isJson && text[0] === 0x5b;
}

/** Why a text is not a JSON object. */
export class Refusal {
  readonly violation: Violation;
  readonly isJson: boolean;

  constructor(violation: Violation, isJson: boolean) {
    this.violation = violation;
    this.isJson = isJson;
  }
}

function refused(text: Buffer, origin: Origin, { violation, isJson }: Refusal): Problem {
  return problem(text, origin, violation, isJson);
}

/** The value of a text without space around it; `isText` says that it is known to be UTF-8. */
export function parseObject(text: Buffer, isText: boolean): Event['value'] | Refusal {
  if (!isText && !isUtf8(text)) return new Refusal(notUtf8, false);
  let value: unknown;
  try {
    value = JSON.parse(text.toString());
  } catch (error) {
    return new Refusal(notJson(error), false);
  }
  return isObject(value) ? value : new Refusal(notAnObject, true);
}

function finishEvent(
  bytes: Buffer,
  value: Record<string, unknown>,
  origin: Origin,
  maxBytes = maxEventBytes,
): Event | Problem {
  const { members, depth } = scanMembers(bytes);
  const violation =
    checkSize(bytes.length, maxBytes) ??
    checkDepth(depth) ??
    checkNames(repeatedName(members)) ??
    checkMembers(value);
  if (violation) return problem(bytes, origin, violation, true);
  return new TextEvent(bytes, value.type as EventType, origin, undefined, { value, members });
}

function checkNames(repeated: string | undefined): Violation | undefined {
  if (repeated === undefined) return undefined;
  const message = `the member ${JSON.stringify(repeated.slice(0, 40))} is duplicated`;
  return { code: 'repeated_member', message };
}

const notUtf8: Violation = { code: 'not_utf8', message: 'the line is not valid UTF-8' };
const notAnObject: Violation = {
  code: 'not_an_event',
  message: 'the line is JSON, but not an object',
};
const noEvent: Violation = {
  code: 'not_an_event',
  message: 'the captured request holds no event; send it with evfwd replay',
};
const batchCapture: Violation = {
  code: 'batch_capture',
  message: 'the captured request holds a batch, not one event; send it with evfwd replay',
};

/** The line is a capture; it is its body that is not so. */
function ofCapture({ code, message }: Violation): Violation {
  const what = message.replace('the line is ', '');
  return { code, message: `the captured body is ${what}; send it with evfwd replay` };
}

/** V8 reports the position only for some errors. It quotes the text, which is left out here. */
function notJson(error: unknown): Violation {
  const text = (error as Error).message;
  const position = / in JSON at position (\d+)(?: \(|$)/.exec(text)?.[1];
  const where = position === undefined ? '' : ` at character ${Number(position) + 1}`;
  const early = text.includes('end of JSON input') || text.startsWith('Unterminated');
  return { code: 'not_json', message: `not JSON${early ? ': it ends too early' : where}` };
}

function problem(bytes: Buffer, origin: Origin, violation: Violation, isJson: boolean): Problem {
  return { ...violation, origin, bytes, isJson };
}

/** Without the white space that JSON allows around a value. */
export function trim(bytes: Buffer): Buffer {
  let start = 0;
  let end = bytes.length;
  while (start < end && isSpace(bytes[start]!)) start++;
  while (end > start && isSpace(bytes[end - 1]!)) end--;
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
