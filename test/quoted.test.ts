import { expect, it } from 'vitest';
import { isQuotable, quoted } from '../src/quoted.js';

it.each([
  ['5', true],
  ['purchase', true],
  ['Order Completed', true],
  ['2026-10-01T08:00:00+02:00', true],
  ['50%', true],
  ['--secret', false],
  ['—secret', false],
  ['a=b', false],
  ['X-Key: value', false],
  ['http://h/', false],
  ['h?k', false],
  ['u@h', false],
  ['0123456789abcdef0123456789abcdef', false],
])('judges whether %j may be repeated: %j', (text, expected) => {
  expect(isQuotable(text)).toBe(expected);
  expect(quoted(text, 'the value')).toBe(expected ? `"${text}"` : 'the value');
});
