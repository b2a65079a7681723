import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scanElements } from '../../src/json/elements.js';

function texts(array: string): string[] {
  const bytes = Buffer.from(array);
  return scanElements(bytes, array.indexOf('[')).map(({ start, end }) =>
    bytes.toString('utf8', start, end),
  );
}

it.each([
  ['[]', []],
  ['[ ]', []],
  ['[1]', ['1']],
  ['[1,2 , -3e5]', ['1', '2', '-3e5']],
  ['[[1,[2]],{"a":[3]},"]",null , true]', ['[1,[2]]', '{"a":[3]}', '"]"', 'null', 'true']],
  ['  [ "é" ,"\\""\n]', ['"é"', '"\\""']],
])('finds the elements of %s', (array, expected) => {
  expect(texts(array)).toEqual(expected);
});

it('finds those of any array, with their own text', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.nat(2), (values, indent) => {
      const found = texts(JSON.stringify(values, null, indent));
      expect(found.map((text): unknown => JSON.parse(text))).toEqual(
        JSON.parse(JSON.stringify(values)),
      );
    }),
  );
});
