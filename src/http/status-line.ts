const http1 = 'HTTP/1.';
/** Some servers say so on connections of HTTP/1.1; Node reads them as well. */
const otherVersions = ['HTTP/0.9', 'HTTP/2.0'];
/** Where the first digit of the status stands, behind `HTTP/1.1 `. */
const statusAt = 9;
/** A status has three; servers send others, but nothing longer than this is taken for a number. */
const maxDigits = 9;
const space = 0x20;
const carriageReturn = 0x0d;

export interface StatusLine {
  /** A number of up to nine digits, for servers send anything: `HTTP/1.1 20000` has 20000. */
  readonly status: number;
  /** How many digits it was written with. */
  readonly digits: number;
  /** Of `HTTP/1.x`; undefined for another version. */
  readonly minor: number | undefined;
}

/**
 * Reads the first line of an answer, `bytes[at, end)` without its line end; undefined when it is
 * none. The reason may be left out, and the space before it.
 */
export function readStatusLine(bytes: Uint8Array, at: number, end: number): StatusLine | undefined {
  if (end - at <= statusAt || bytes[at + statusAt - 1] !== space) return undefined;
  const is1 = startsWith(bytes, at, end, http1);
  const minor = is1 ? digit(bytes[at + http1.length]) : undefined;
  if (is1 ? minor === undefined : !isOtherVersion(bytes, at, end)) return undefined;
  const digits = countDigits(bytes, at + statusAt, end);
  const next = at + statusAt + digits;
  if (digits === 0 || digits > maxDigits || !isReason(bytes, next, end)) return undefined;
  return { status: numberOf(bytes, at + statusAt, next), digits, minor };
}

/** Whether `bytes[at, end)` is how a status line can begin, however little of it is there. */
export function mayBeStatusLine(bytes: Uint8Array, at: number, end: number): boolean {
  const isVersion = startsWith(bytes, at, end, http1) || isOtherVersion(bytes, at, end);
  return isVersion && countDigits(bytes, at + statusAt, end) <= maxDigits;
}

function isOtherVersion(bytes: Uint8Array, at: number, end: number): boolean {
  return otherVersions.some((version) => startsWith(bytes, at, end, version));
}

/** Whether `bytes[at, end)` and a text are the same as far as both go. */
function startsWith(bytes: Uint8Array, at: number, end: number, text: string): boolean {
  const length = Math.min(end - at, text.length);
  for (let i = 0; i < length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** How many digits stand at `at`; no more than one too many are looked at. */
function countDigits(bytes: Uint8Array, at: number, end: number): number {
  const last = Math.min(end, at + maxDigits + 1);
  let next = at;
  while (next < last && digit(bytes[next]) !== undefined) next++;
  return next - at;
}

function numberOf(bytes: Uint8Array, at: number, end: number): number {
  let value = 0;
  for (; at < end; at++) value = value * 10 + digit(bytes[at])!;
  return value;
}

function digit(byte: number | undefined): number | undefined {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : undefined;
}

/** What follows the digits: nothing, or a reason behind a space. A CR is accepted here;
 * answer-head.ts then does not reuse the connection. */
function isReason(bytes: Uint8Array, at: number, end: number): boolean {
  return at === end || bytes[at] === space || bytes[at] === carriageReturn;
}
