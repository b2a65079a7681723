import { describe, expect, it } from 'vitest';
import { flips } from '../../src/check/tamper.js';

const cases = (['hex', 'base64'] as const).flatMap((encoding) =>
  [20, 32, 64].map((length) => [encoding, length] as const),
);

describe.each(cases)('a signature in %s of %d bytes', (encoding, length) => {
  // Bytes whose Base64 has a letter in its middle.
  const bytes = Buffer.alloc(length, 0x42);
  const right = bytes.toString(encoding);
  const changed = flips(encoding).map((flip) => flip(right));

  it('has one character changed each time, and stays of its form', () => {
    for (const signature of changed) {
      expect(signature).toHaveLength(right.length);
      expect(signature.split('').filter((one, i) => one !== right[i])).toHaveLength(1);
      expect(Buffer.from(signature, encoding).toString(encoding)).toBe(signature);
    }
  });

  it('decodes to other bytes at the start, in the middle and at the end', () => {
    const places = changed.map((signature) => {
      const decoded = Buffer.from(signature, encoding);
      return decoded.findIndex((byte, i) => byte !== bytes[i]);
    });
    expect(places).toEqual([0, expect.any(Number), length - 1]);
    expect(places[1]).toBeGreaterThanOrEqual((length >> 1) - 1);
    expect(places[1]).toBeLessThan(length - 1);
  });
});
