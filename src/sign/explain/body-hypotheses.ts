import {
  byteOrderMark,
  hasByteOrderMark,
  withoutByteOrderMark,
} from '../../json/byte-order-mark.js';
import type { Variant } from './hypothesis.js';
import { jsonVariants } from './json-hypotheses.js';

const rawBytes = 'sign and check the very bytes that are sent';

/** The bodies that a signer may have signed in place of the given one, the likeliest first. */
export function* bodyVariants(body: Buffer): Generator<Variant> {
  yield* plainVariants(body);
  yield* charsetVariants(body);
  yield* jsonVariants(body);
}

/** Up to here changes are tried together; above, each copy of the body takes too long. */
const longestForAll = 8 * 1024 * 1024;

interface Change {
  /** Empty where nothing is changed. */
  readonly fact: string;
  readonly apply: (body: Buffer) => Buffer;
}

const kept: Change = { fact: '', apply: (body) => body };

const lineEnds: readonly Change[] = [
  kept,
  { fact: 'has LF for CRLF as line ends', apply: withLf },
  { fact: 'has CRLF for LF as line ends', apply: withCrlf },
];

const tails: readonly Change[] = [
  kept,
  { fact: 'lacks its last line end', apply: withoutLineEnd },
  { fact: 'has one more line end (LF) at its end', apply: (body) => append(body, '\n') },
  { fact: 'has one more line end (CRLF) at its end', apply: (body) => append(body, '\r\n') },
  { fact: 'lacks the space and line ends around it', apply: withoutSpace },
];

const marks: readonly Change[] = [
  kept,
  {
    fact: 'lacks its byte order mark',
    apply: withoutByteOrderMark,
  },
  {
    fact: 'has a byte order mark before it',
    apply: (body) => (hasByteOrderMark(body) ? body : Buffer.concat([byteOrderMark, body])),
  },
];

/** One change of each kind, those with the fewest changes first. */
const recipes: readonly (readonly Change[])[] = marks
  .flatMap((mark) => lineEnds.flatMap((ends) => tails.map((tail) => [mark, ends, tail])))
  .map((changes) => changes.filter((change) => change !== kept))
  .filter((changes) => changes.length > 0)
  .sort((one, other) => one.length - other.length);

function* plainVariants(body: Buffer): Generator<Variant> {
  yield* variant(body, Buffer.alloc(0), 'is empty', 'sign the body, not the moment before it');
  const most = body.length > longestForAll ? 1 : Infinity;
  for (const changes of recipes) {
    if (changes.length > most) return;
    const bytes = applyAll(changes, body);
    if (bytes) yield* variant(body, bytes, changes.map(({ fact }) => fact).join(' and '), rawBytes);
  }
}

/** Undefined when a change has nothing to change: a recipe with fewer changes says the same. */
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
  const step = 'sign and check raw bytes, never a text that was decoded from them';
  const replaced = Buffer.from(text);
  yield* variant(body, replaced, 'has U+FFFD for the bytes that are not UTF-8', step);
  const twice = Buffer.from(body.toString('latin1'), 'utf8');
  yield* variant(body, twice, 'is UTF-8 that was encoded twice (read as Latin-1)', step);
  if (/[^\0-\xff]/.test(text)) return;
  yield* variant(body, Buffer.from(text, 'latin1'), 'is encoded as Latin-1', step);
}

function* variant(body: Buffer, bytes: Buffer, fact: string, step: string): Generator<Variant> {
  if (!bytes.equals(body)) yield { bytes, hypothesis: { fact: `the body ${fact}`, step } };
}

/** Byte by byte: for a body of 50 MB this takes a tenth of what a regular expression does. */
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

function withoutLineEnd(body: Buffer): Buffer {
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
