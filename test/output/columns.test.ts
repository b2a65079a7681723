import { describe, expect, it } from 'vitest';
import { cutTo, fitted, widthOf, wrapped } from '../../src/output/columns.js';

describe('a text in columns', () => {
  it.each([
    ['abc', 5, 'abc  '],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['abcd', 1, '…'],
    ['abcd', 0, ''],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日… '],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['👍🏽👍🏽', 3, '👍🏽…'],
  ])('%j takes exactly %i', (text, width, shown) => {
    expect(fitted(text, width)).toBe(shown);
    expect(widthOf(fitted(text, width))).toBe(width);
  });

  it('of any length is cut', () => {
    expect(cutTo('é'.repeat(1_000_000), 3)).toBe('éé…');
  });

  it('is broken at spaces, and a longer word stays whole', () => {
    expect(wrapped('one two three http://127.0.0.1:4400/ x', 9)).toEqual([
      'one two',
      'three',
      'http://127.0.0.1:4400/',
      'x',
    ]);
    expect(wrapped('one two', Infinity)).toEqual(['one two']);
  });
});
