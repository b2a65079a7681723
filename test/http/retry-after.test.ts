import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/http/retry-after.js';

const now = Date.parse('2026-11-20T08:30:00.000Z');

describe('a Retry-After header', () => {
  it.each<[string | undefined, number | undefined]>([
    ['1', 1_000],
    ['120', 120_000],
    [' 5 ', 5_000],
    ['007', 7_000],
    ['99999999999', 99_999_999_999_000],
    ['Fri, 20 Nov 2026 08:30:07 GMT', 7_000],
    ['Friday, 20-Nov-26 08:30:07 GMT', 7_000],
    ['Fri Nov 20 08:30:07 2026', 7_000],
    ['Sat, 21 Nov 2026 08:30:00 GMT', 86_400_000],
    ['0', undefined],
    ['Fri, 20 Nov 2026 08:30:00 GMT', undefined],
    ['Fri, 20 Nov 2026 08:29:59 GMT', undefined],
    ['Wed, 21 Oct 2015 07:28:00 GMT', undefined],
    [undefined, undefined],
    ['', undefined],
    ['-5', undefined],
    ['+5', undefined],
    ['1.5', undefined],
    ['5s', undefined],
    ['0x10', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['2026-11-20T08:31:00Z', undefined],
    ['Fri, 20 Foo 2026 08:30:07 GMT', undefined],
  ])('%j asks for %j ms', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });

  it('of any number of seconds is that long, to the millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seconds) => {
        expect(retryAfterMs(String(seconds), now)).toBe(seconds * 1000);
        const date = new Date(now + seconds * 1000).toUTCString();
        expect(retryAfterMs(date, now)).toBe(seconds * 1000);
      }),
    );
  });

  it('of any other text asks for nothing, or for a time to come', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const waitMs = retryAfterMs(text, now) ?? 1;
        expect(waitMs).toBeGreaterThan(0);
        expect(Number.isFinite(waitMs)).toBe(true);
      }),
    );
  });
});
