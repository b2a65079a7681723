import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDecimals } from '../../src/json/decimal.js';

describe('numbers compare by all their digits', () => {
  it.each([
    ['1', '1.0', 0],
    ['0', '-0.00', 0],
    ['12345678901234567890', '12345678901234567891', -1],
    ['0.1', '0.10000000000000000001', -1],
    ['1e3', '999.9', 1],
    ['-2', '1', -1],
    ['-2', '-3', 1],
    ['1e999999999', '9e999999998', 1],
    ['100', '1e2', 0],
    ['0.001', '1e-3', 0],
    ['0e999', '-0', 0],
  ])('%s and %s', (a, b, expected) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(expected);
    expect(Math.sign(compareDecimals(b, a)) + expected).toBe(0);
  });

  it('as JavaScript does where it has the digits', () => {
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(number, number, (a, b) => {
        const texts = [a, b].map((each) => JSON.stringify(each)) as [string, string];
        expect(Math.sign(compareDecimals(...texts)) + 0).toBe(Math.sign(a - b) + 0);
      }),
    );
  });
});
