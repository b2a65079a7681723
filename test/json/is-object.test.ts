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

it('what is not there is no object', () => {
  expect(isObject(undefined)).toBe(false);
});
