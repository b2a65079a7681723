import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatJson } from '../../src/json/format-json.js';

it('puts each member and item on a line, and keeps every character of the values', () => {
  const text = '{"id":9007199254740993,"a":{},"b" : [ ],"c":[1.0,-0,"x, {\\"y\\": 1}"],"a":null}';
  expect(formatJson(text)).toBe(
    [
      '{',
      '  "id": 9007199254740993,',
      '  "a": {},',
      '  "b": [],',
      '  "c": [',
      '    1.0,',
      '    -0,',
      '    "x, {\\"y\\": 1}"',
      '  ],',
      '  "a": null',
      '}',
    ].join('\n'),
  );
});

it('formats as JSON.stringify does, and the same again', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const formatted = formatJson(JSON.stringify(value));
      expect(formatted).toBe(JSON.stringify(value, null, 2));
      expect(formatJson(formatted)).toBe(formatted);
    }),
  );
});

it('formats what is nested very deep', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  expect(formatJson(deep).replaceAll(/\s/g, '')).toBe(deep);
});

it('refuses what is not JSON', () => {
  expect(() => formatJson('{"a":}')).toThrow('not JSON');
});
