import { expect, it } from 'vitest';
import { durationMs } from '../../src/config/duration.js';

it.each([
  ['300ms', 300],
  ['5s', 5000],
  ['1.5s', 1500],
  ['2m', 120_000],
  ['4h', 14_400_000],
  ['1d', 86_400_000],
  ['0s', 0],
  ['5', undefined],
  ['', undefined],
  ['-5s', undefined],
  ['5 s', undefined],
  ['5 parsecs', undefined],
  ['5s\n', undefined],
  [`${'9'.repeat(30)}d`, undefined],
  [`${'9'.repeat(300)}s`, undefined],
])('reads %j as %s', (text, expected) => {
  expect(durationMs(text)).toBe(expected);
});
