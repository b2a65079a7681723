import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wildcard } from '../../src/events/wildcard.js';

it.each([
  ['Order *', 'Order Completed', true],
  ['Order *', 'An Order Completed', false],
  ['*', '', true],
  ['*Done*', 'a\nDone\nb', true],
  ['a.c', 'abc', false],
  ['a-b[c]', 'a-b[c]', true],
])('%s and %s: %s', (pattern, text, expected) => {
  expect(wildcard(pattern).test(text)).toBe(expected);
});

it('matches every other character literally', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!text.includes('*'));
      expect(wildcard(text).test(text)).toBe(true);
      expect(wildcard(text).test(`${text}x`)).toBe(false);
    }),
  );
});
