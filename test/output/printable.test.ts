import fc from 'fast-check';
import { expect, it } from 'vitest';
import { printable } from '../../src/output/printable.js';

it.each([
  ['plain text in any script: Zoë Жук 東京 🎉', 'plain text in any script: Zoë Жук 東京 🎉'],
  ['\u001b[31mred\u0007', '\\u001b[31mred\\u0007'],
  ['a\r\n\tb\0', 'a\\r\\n\\tb\\u0000'],
  ['\u007f\u009b2J', '\\u007f\\u009b2J'],
  ['\u2028\u2029\u202e\u2066\u200f\ufeff', '\\u2028\\u2029\\u202e\\u2066\\u200f\\ufeff'],
  ['\ud800', '\\ud800'],
])('writes %j as one harmless line', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it('leaves no control character in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(text)).not.toMatch(/\p{Cc}/u);
    }),
  );
});
