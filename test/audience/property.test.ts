import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyOf } from '../../src/audience/property.js';

describe('the trait of an audience', () => {
  it.each([
    ['High Value Users', 'high_value_users'],
    ['Last Order Total', 'last_order_total'],
    ['highValueUsers', 'high_value_users'],
    ['HTMLReaders', 'htmlreaders'],
    ['already_snake_case', 'already_snake_case'],
    ['  spaces -- and/dashes!  ', 'spaces_and_dashes'],
    ['Q3 2026', 'q3_2026'],
    ['v2Users', 'v2users'],
    ['Kunden in Köln', 'kunden_in_köln'],
    ['Cafe\u0301Gäste', 'café_gäste'],
    ['Большие Заказы', 'большие_заказы'],
    ['高価値ユーザー', '高価値ユーザー'],
    ['हिन्दी पाठक', 'हिन्दी_पाठक'],
    ['مشتري ٢٠٢٦', 'مشتري_٢٠٢٦'],
    ['!!! ---', ''],
    ['', ''],
  ])('of %j is %j', (name, property) => {
    expect(propertyOf(name)).toBe(property);
  });

  it('has words separated by single underscores', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(propertyOf(name)).not.toMatch(/^_|__|_$|[\s"\\]/);
      }),
    );
  });

  it('is the trait of its own name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (name) => {
        expect(propertyOf(propertyOf(name))).toBe(propertyOf(name));
      }),
    );
  });
});
