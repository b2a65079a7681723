import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readJson, respell, writeJson } from '../../../src/sign/explain/json-text.js';

const spell = (token: string) => token;
const style = { sorted: false, spell };

it.each([
  ['minified', undefined, { comma: ',', colon: ':' }],
  ['by 2 spaces', '  ', { comma: ',', colon: ': ', indent: '  ' }],
  ['by tabs', '\t', { comma: ',', colon: ': ', indent: '\t' }],
])('writes any JSON %s as JSON.stringify does', (_, space, layout) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, was) => {
      const node = readJson(` ${JSON.stringify(value, null, was)}\n`)!;
      expect(writeJson(node, { ...style, layout })).toBe(JSON.stringify(value, null, space));
    }),
  );
});

it('keeps the text of numbers and strings', () => {
  const text = '{"a\\u0041":[1.0,-0,1e400,9007199254740993,"\\/\\u00e9"],"a":{},"a":[]}';
  expect(writeJson(readJson(text)!, { ...style, layout: { comma: ',', colon: ':' } })).toBe(text);
  expect(respell(text, spell)).toBe(text);
});

it('sorts members by code points, at every level', () => {
  const text = '{"\u{1f389}":1,"\uffee":2,"b":{"d":1,"c":2},"a":3}';
  const written = writeJson(readJson(text)!, {
    spell,
    sorted: true,
    layout: { comma: ',', colon: ':' },
  });
  expect(written).toBe('{"a":3,"b":{"c":2,"d":1},"\uffee":2,"\u{1f389}":1}');
});

it.each(['', '{', '{"a":01}', 'NaN', '{}{}', '\u00a0{}'])('does not read %j', (text) => {
  expect(readJson(text)).toBeUndefined();
});
