import { expect, it } from 'vitest';
import { hasByteOrderMark, withoutByteOrderMark } from '../../src/json/byte-order-mark.js';

it.each([
  ['', ''],
  ['{}', '{}'],
  ['\ufeff', ''],
  ['\ufeff{}', '{}'],
  ['\ufeff\ufeff{}', '\ufeff{}'],
  [' \ufeff{}', ' \ufeff{}'],
])('%j without its byte order mark is %j', (text, expected) => {
  const bytes = Buffer.from(text);
  expect(withoutByteOrderMark(bytes).toString()).toBe(expected);
  expect(hasByteOrderMark(bytes)).toBe(expected !== text);
});

it('the beginning of a byte order mark is not one', () => {
  expect(hasByteOrderMark(Buffer.from([0xef, 0xbb]))).toBe(false);
});
