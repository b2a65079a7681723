import {
  byteOrderMark,
  hasByteOrderMark,
  withoutByteOrderMark,
} from '../../json/byte-order-mark.js';
import type { Variant } from './hypothesis.js';
import { jsonVariants } from './json-hypotheses.js';

const rawBytes = 'sign and check the exact bytes that are sent';

/** The bodies that a signer may have signed instead of the given one, the likeliest first. */
export function* bodyVariants(body: Buffer): Generator<Variant> {
  yield* plainVariants(body);
  yield* charsetVariants(body);
  yield* jsonVariants(body);
}

/** Only up to this size are changes combined: copies of a larger body take too long. */
const maxForAll = 8 * 1024 * 1024;

interface Change {
  /** Empty if nothing is changed. */
  readonly fact: string;
  readonly apply: (body: Buffer) => Buffer;
}

const kept: Change = { fact: '', apply: (body) => body };

const newlines: readonly Change[] = [
  kept,
  { fact: 'has LF instead of CRLF as newlines', apply: withLf },
  { fact: 'has CRLF instead of LF as newlines', apply: withCrlf },
];

const tails: readonly Change[] = [
  kept,
  { fact: 'is missing its trailing newline', apply: withoutNewline },
  { fact: 'has an extra trailing newline (LF)', apply: (body) => append(body, '\n') },
  { fact: 'has an extra trailing newline (CRLF)', apply: (body) => append(body, '\r\n') },
  { fact: 'is missing the space and newlines around it', apply: withoutSpace },
];

const marks: readonly Change[] = [
  kept,
  {
    fact: 'is missing its byte order mark',
    apply: withoutByteOrderMark,
  },
  {
    fact: 'has a byte order mark before it',
    apply: (body) => (hasByteOrderMark(body) ? body : Buffer.concat([byteOrderMark, body])),
  },
];

/** One change of each kind, those with the fewest changes first. */
const recipes: readonly (readonly Change[])[] = marks
  .flatMap((mark) => newlines.flatMap((newline) => tails.map((tail) => [mark, newline, tail])))
  .map((changes) => changes.filter((change) => change !== kept))
  .filter((changes) => changes.length > 0)
  .sort((one, other) => one.length - other.length);

function* plainVariants(body: Buffer): Generator<Variant> {
  yield* variant(body, Buffer.alloc(0), 'is empty', 'sign the body once it is complete');
  const most = body.length > maxForAll ? 1 : Infinity;
  for (const changes of recipes) {
    if (changes.length > most) return;
    const bytes = applyAll(changes, body);
    if (bytes) yield* variant(body, bytes, changes.map(({ fact }) => fact).join(' and '), rawBytes);
  }
}

/** Undefined if a change has no effect: a recipe with fewer changes yields the same. */
function applyAll(changes: readonly Change[], body: Buffer): Buffer | undefined {
  let bytes = body;
  for (const { apply } of changes) {
    const changed = apply(bytes);
    if (changed.equals(bytes)) return undefined;
    bytes = changed;
  }
  return bytes;
}

function* charsetVariants(body: Buffer): Generator<Variant> {
  const text = body.toString('utf8');
  const step = 'sign and check raw bytes, never text decoded from them';
  const replaced = Buffer.from(text);
  yield* variant(body, replaced, 'has U+FFFD instead of the bytes that are not UTF-8', step);
  const twice = Buffer.from(body.toString('latin1'), 'utf8');
  yield* variant(body, twice, 'is UTF-8 that was encoded twice (read as Latin-1)', step);
  if (/[^\0-\xff]/.test(text)) return;
  yield* variant(body, Buffer.from(text, 'latin1'), 'is encoded as Latin-1', step);
}

function* variant(body: Buffer, bytes: Buffer, fact: string, step: string): Generator<Variant> {
  if (!bytes.equals(body)) yield { bytes, hypothesis: { fact: `the body ${fact}`, step } };
}

/** Byte by byte: for a body of 50 MB this is ten times faster than a regular expression. */
function withLf(body: Buffer): Buffer {
  if (!body.includes('\r\n')) return body;
  const out = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at++) {
    if (body[at] === 0x0d && body[at + 1] === 0x0a) continue;
    out[length++] = body[at]!;
  }
  return out.subarray(0, length);
}

function withCrlf(body: Buffer): Buffer {
  if (!body.includes(0x0a)) return body;
  const out = Buffer.allocUnsafe(body.length * 2);
  let length = 0;
  let previous = 0;
  for (const byte of body) {
    if (byte === 0x0a && previous !== 0x0d) out[length++] = 0x0d;
    out[length++] = byte;
    previous = byte;
  }
  return out.subarray(0, length);
}

function append(body: Buffer, text: string): Buffer {
  return Buffer.concat([body, Buffer.from(text)]);
}

function withoutNewline(body: Buffer): Buffer {
  if (body.at(-1) !== 0x0a) return body;
  return body.subarray(0, body.at(-2) === 0x0d ? -2 : -1);
}

function withoutSpace(body: Buffer): Buffer {
  let start = 0;
  let end = body.length;
  while (start < end && isSpace(body[start]!)) start++;
  while (end > start && isSpace(body[end - 1]!)) end--;
  return body.subarray(start, end);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
