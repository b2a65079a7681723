import { expect, it } from 'vitest';
import { isObject } from '../../src/json/is-object.js';

it.each([
  ['{}', true],
  ['{"a":1}', true],
  ['[]', false],
  ['null', false],
  ['7', false],
  ['"{}"', false],
  ['true', false],
])('%s is an object: %s', (text, expected) => {
  expect(isObject(JSON.parse(text))).toBe(expected);
});

it('undefined is not an object', () => {
  expect(isObject(undefined)).toBe(false);
});
