const tab = 0x09;
const space = 0x20;
const colon = 0x3a;

/** Bytes allowed in a header name: `token`, RFC 9110 section 5.6.2. */
const isToken = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  isToken[character.charCodeAt(0)] = 1;
}

/** Bytes allowed in a header value: all but control characters, RFC 9110 section 5.5. */
const isInValue = new Uint8Array(256).fill(1, space);
isInValue[tab] = 1;
isInValue[0x7f] = 0;

/** Offset of the colon after the name that begins at `start`; -1 if no header begins there. */
export function endOfName(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isToken[bytes[at]!] === 1) at++;
  return at > start && bytes[at] === colon ? at : -1;
}

/** Whether the name at `start` is `name`, which is in lowercase and must have the same length. */
export function isNamed(bytes: Uint8Array, start: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[start + i]!;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== name.charCodeAt(i)) return false;
  }
  return true;
}

/** Whether `bytes[start, end)` is a valid header value. */
export function isValue(bytes: Uint8Array, start: number, end: number): boolean {
  while (start < end && isInValue[bytes[start]!] === 1) start++;
  return start === end;
}

/** The value in `bytes[start, end)`, without surrounding whitespace. */
export function valueOf(bytes: Buffer, start: number, end: number): string {
  while (start < end && isSpace(bytes[start]!)) start++;
  while (end > start && isSpace(bytes[end - 1]!)) end--;
  return bytes.toString('latin1', start, end);
}

function isSpace(byte: number): boolean {
  return byte === space || byte === tab;
}
