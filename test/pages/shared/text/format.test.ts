import { expect, it } from 'vitest';
import {
  bytesText,
  countOf,
  countText,
  durationText,
} from '../../../../pages/shared/text/format.js';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KB'],
  [102_400, '100 KB'],
  [1_048_500, '1.0 MB'],
  [5_242_880, '5.0 MB'],
])('writes %i bytes as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

it.each([
  [0.042, '0.04 ms'],
  [7.913, '7.91 ms'],
  [31, '31.0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.00 s'],
  [65_000, '1 min 5 s'],
])('writes %d milliseconds as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it('groups the digits of counts', () => {
  expect([countText(10_000), countOf(1, 'request'), countOf(1234, 'event')]).toEqual([
    '10,000',
    '1 request',
    '1,234 events',
  ]);
});
