import { expect, it } from 'vitest';
import { durationInWords } from '../src/duration.js';

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_500, '1 s 500 ms'],
  [300_000, '5 min'],
  [3_723_000, '1 h 2 min'],
  [86_401_000, '1 d'],
  [7 * 86_400_000 + 7_200_000, '7 d 2 h'],
])('%d ms are %s', (ms, words) => {
  expect(durationInWords(ms)).toBe(words);
});

it('has all units if asked for', () => {
  expect(durationInWords(86_401_000, 5)).toBe('1 d 1 s');
});
