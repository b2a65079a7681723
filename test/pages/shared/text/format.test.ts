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
  [0.999, '1.0 ms'],
  [9.94, '9.9 ms'],
  [9.96, '10 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [65_000, '65.0 s'],
  [120_000, '120 s'],
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
