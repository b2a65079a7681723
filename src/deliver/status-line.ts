const start = 'HTTP/1.';
/** Where the first digit of the status stands, behind `HTTP/1.1 `. */
const statusAt = 9;
const space = 0x20;
const carriageReturn = 0x0d;

export interface StatusLine {
  /** A number of any length, for servers send anything: `HTTP/1.1 20000` has 20000. */
  readonly status: number;
  /** How many digits it was written with. */
  readonly digits: number;
  /** Of `HTTP/1.x`. */
  readonly minor: number;
}

/**
 * Reads the first line of an answer, `bytes[at, end)` without its line end; undefined when it is
 * none. The reason may be left out, and the space before it.
 */
export function readStatusLine(bytes: Uint8Array, at: number, end: number): StatusLine | undefined {
  const minor = digit(bytes[at + start.length]);
  if (!mayBeStatusLine(bytes, at, end) || end - at <= statusAt) return undefined;
  if (minor === undefined || bytes[at + statusAt - 1] !== space) return undefined;
  let status = 0;
  let next = at + statusAt;
  for (let value; next < end && (value = digit(bytes[next])) !== undefined; next++) {
    status = status * 10 + value;
  }
  const digits = next - at - statusAt;
  return digits > 0 && isReason(bytes, next, end) ? { status, digits, minor } : undefined;
}

/** Whether `bytes[at, end)` is how a status line can begin, however little of it is there. */
export function mayBeStatusLine(bytes: Uint8Array, at: number, end: number): boolean {
  const length = Math.min(end - at, start.length);
  for (let i = 0; i < length; i++) if (bytes[at + i] !== start.charCodeAt(i)) return false;
  return true;
}

function digit(byte: number | undefined): number | undefined {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : undefined;
}

function isReason(bytes: Uint8Array, at: number, end: number): boolean {
  if (at === end) return true;
  if (bytes[at] !== space) return false;
  for (; at < end; at++) if (bytes[at] === carriageReturn) return false;
  return true;
}
