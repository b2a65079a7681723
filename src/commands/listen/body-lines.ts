import { isUtf8 } from 'node:buffer';
import { headerValues } from '../../http/header-rules.js';
import { inflated } from '../../receive/inflate.js';
import type { ReceivedRequest } from '../../listen/received-request.js';
import { wholeCharacters } from '../../listen/whole-characters.js';
import { countOf } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';

/** How much of a body is shown. */
const shownBytes = 4_096;

const indent = '  ';

/** The lines of `--print-body`: the body as text, or what it is; none for an empty one. */
export function bodyLines(received: ReceivedRequest): string[] {
  const { body, bytes, isTooLarge } = received;
  if (isTooLarge) return [`${indent}(${countOf(bytes, 'byte')}, too large to be read)`];
  if (body.length === 0) return [];
  const readable = inflated(body);
  if (!readable || !isUtf8(readable)) return [`${indent}(${binaryNote(received)})`];
  const start = wholeCharacters(readable.subarray(0, shownBytes));
  const left = readable.length - start.length;
  const lines = textOf(start.toString('utf8'), received).map((line) => indent + printable(line));
  return left === 0 ? lines : [...lines, `${indent}(${countOf(left, 'more byte')})`];
}

/** A form has a line per field. `curl -d` says that JSON is a form, too, but in a form braces are escaped. */
function textOf(text: string, received: ReceivedRequest): string[] {
  const isForm = typeOf(received).startsWith('application/x-www-form-urlencoded');
  if (!isForm || /^\s*[{[]/.test(text)) return text.replace(/\r?\n$/, '').split(/\r?\n/);
  return [...new URLSearchParams(text.trim())].map(([name, value]) => `${name}: ${value}`);
}

function binaryNote(received: ReceivedRequest): string {
  const type = printable(typeOf(received));
  return `${countOf(received.body.length, 'byte')} of binary data${type && `, ${type}`}`;
}

function typeOf({ headers }: ReceivedRequest): string {
  return headerValues(headers, 'content-type')[0]?.toLowerCase() ?? '';
}
