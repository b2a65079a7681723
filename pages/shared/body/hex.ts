/**
 * Bytes as lines of offset, hexadecimal bytes and ASCII, like `hexdump -C`. A byte that is not printable
 * ASCII is a dot.
 */
export function hexDump(bytes: Uint8Array, perLine = 16): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += perLine) {
    const line = [...bytes.subarray(at, at + perLine)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = line.map((byte) =>
      byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '.',
    );
    const offset = at.toString(16).padStart(6, '0');
    lines.push(`${offset}  ${hex.padEnd(perLine * 3 - 1)}  ${ascii.join('')}`);
  }
  return lines.join('\n');
}
