import { expect, it } from 'vitest';
import { timestampText } from '../../../../pages/shared/text/timestamp.js';

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
