/** Bytes without a character of UTF-8 that is cut off at their end; other bytes stay as they are. */
export function wholeCharacters(bytes: Buffer): Buffer {
  const first = startOfLast(bytes);
  const isCut = first >= 0 && bytes.length - first < lengthOf(bytes[first]!);
  return isCut ? bytes.subarray(0, first) : bytes;
}

/** Where the last character begins; -1 if no first byte of one is near. */
function startOfLast(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    if ((bytes[at]! & 0xc0) !== 0x80) return at;
  }
  return -1;
}

/** Of the character that begins with this byte. */
function lengthOf(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}
