/** May precede a text in UTF-8 and is not part of it. */
export const byteOrderMark: Buffer = Buffer.from([0xef, 0xbb, 0xbf]);

export function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
}

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return hasByteOrderMark(bytes) ? bytes.subarray(byteOrderMark.length) : bytes;
}
