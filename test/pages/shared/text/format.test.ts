import { expect, it } from 'vitest';
import {
  bytesText,
  countOf,
  countText,
  durationText,
  timestampText,
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

/** In the zone of whoever runs the test. */
const local = (...parts: [number, number, number, number, number, number, number]): string =>
  new Date(...parts).toISOString();
const now = new Date(2026, 10, 20, 12, 0, 0).getTime();

it.each([
  [local(2026, 10, 20, 9, 41, 7, 250), '09:41:07.250'],
  [local(2026, 10, 19, 9, 41, 7, 250), '2026-11-19 09:41:07'],
  [local(2025, 10, 20, 9, 41, 7, 250), '2025-11-20 09:41:07'],
])('writes %s with its date unless that is today', (iso, text) => {
  expect(timestampText(iso, now)).toBe(text);
});
