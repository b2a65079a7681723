const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether it has control characters that no text has, as bytes that happen to be UTF-8 do. */
export function hasBinaryControls(text: string): boolean {
  return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
}

export function bytesOfText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function bytesOfBase64(base64: string): Uint8Array {
  return bytesOfBinary(atob(base64));
}

/** Bytes as a string with one character per byte, to search in. */
export function binaryOf(bytes: Uint8Array): string {
  let text = '';
  // A call has room for some ten thousand arguments.
  for (let i = 0; i < bytes.length; i += 8192) {
    text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return text;
}

export function bytesOfBinary(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The text that the bytes are in UTF-8; undefined when they are not. */
export function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

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
