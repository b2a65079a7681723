const http1 = 'HTTP/1.';
/** Some servers send these versions on HTTP/1.1 connections; Node accepts them as well. */
const otherVersions = ['HTTP/0.9', 'HTTP/2.0'];
/** Offset of the first digit of the status, after `HTTP/1.1 `. */
const statusAt = 9;
/** A valid status has three; longer ones are read so that they can be reported. */
const maxDigits = 9;
const space = 0x20;
const carriageReturn = 0x0d;

export interface StatusLine {
  /** Up to nine digits, since servers send invalid ones: `HTTP/1.1 20000` has 20000. */
  readonly status: number;
  /** Number of digits it was written with. */
  readonly digits: number;
  /** The x of `HTTP/1.x`; undefined for other versions. */
  readonly minor: number | undefined;
}

/**
 * Reads the first line of a response, `bytes[at, end)` without its newline; undefined if it is not a
 * status line. The reason phrase is optional, and so is the space before it.
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

/** Whether `bytes[at, end)` can be the beginning of a status line. */
export function mayBeStatusLine(bytes: Uint8Array, at: number, end: number): boolean {
  const isVersion = startsWith(bytes, at, end, http1) || isOtherVersion(bytes, at, end);
  return isVersion && countDigits(bytes, at + statusAt, end) <= maxDigits;
}

function isOtherVersion(bytes: Uint8Array, at: number, end: number): boolean {
  return otherVersions.some((version) => startsWith(bytes, at, end, version));
}

/** Whether `bytes[at, end)` and `text` agree up to the end of the shorter one. */
function startsWith(bytes: Uint8Array, at: number, end: number, text: string): boolean {
  const length = Math.min(end - at, text.length);
  for (let i = 0; i < length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Counts the digits at `at`, up to one more than the limit. */
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

/** Nothing, or a space and a reason phrase. A CR is accepted, but then the connection is not reused. */
function isReason(bytes: Uint8Array, at: number, end: number): boolean {
  return at === end || bytes[at] === space || bytes[at] === carriageReturn;
}
