import { expect, it } from 'vitest';
import { parseRate } from '../../../src/commands/shared/flag-values.js';

it.each([
  ['100', 100],
  ['0.5', 0.5],
  ['500/s', 500],
  ['90/m', 1.5],
  ['3600/h', 1],
])('%s is %d events per second', (text, rate) => {
  expect(parseRate(text)).toBe(rate);
});

it.each(['', '0', '0/s', '-1', '5/d', '/s', '1e3', '100 /s', '∞', '9'.repeat(400)])(
  '%j is not a rate',
  (text) => {
    expect(() => parseRate(text)).toThrow(/is not a valid rate; use e\.g\. 500\/s or 90\/m/);
  },
);
