import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleParts } from '../../../../pages/shared/text/received.js';

/** Marks in brackets. */
function shown(text: string, isMultiline = false): string {
  return visibleParts(text, isMultiline)
    .map((part) => (part.isMark ? `[${part.text}]` : part.text))
    .join('');
}

describe('visibleParts', () => {
  it.each([
    ['plain text', 'plain text'],
    ['', ''],
    ['Grüße 😀 مرحبا', 'Grüße 😀 مرحبا'],
    ['a\u0000b', 'a[U+0000]b'],
    ['\u001b[31mred', '[U+001B][31mred'],
    ['photo\u202egnp.exe', 'photo[U+202E]gnp.exe'],
    ['a\r\nb\tc', 'a[\\r][\\n]b[\\t]c'],
    ['half \ud800 pair', 'half [U+D800] pair'],
    ['zero\u200bwidth', 'zero[U+200B]width'],
  ])('shows %j as %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ['{\n\t"a": 1\n}', '{\n\t"a": 1\n}'],
    ['a\r\nb', 'a[\\r]\nb'],
    ['{}\n', '{}[\\n]'],
  ])('keeps the lines of %j', (text, expected) => {
    expect(shown(text, true)).toBe(expected);
  });

  it('leaves nothing out, and nothing unseen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const plain = visibleParts(text).filter(({ isMark }) => !isMark);
        expect(plain.every((part) => !/[\p{Cc}\p{Cs}\u202a-\u202e]/u.test(part.text))).toBe(true);
        const seen = visibleParts(text).reduce((sum, p) => sum + (p.isMark ? 1 : p.text.length), 0);
        expect(seen).toBe(text.length);
      }),
    );
  });
});
