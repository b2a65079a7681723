import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spellings } from '../../src/check/spelling.js';

const objects = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 3 }), {
  minKeys: 1,
});

describe('another spelling of a body', () => {
  it.each(Object.entries(spellings))('%s means the same', (_, spelling) => {
    fc.assert(
      fc.property(objects, (object) => {
        const text = JSON.stringify(object);
        const other = spelling(text);
        expect(JSON.parse(other ?? text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['escaped', '{"path":"/a","n":"x"}', String.raw`{"path":"\/a","n":"\u0078"}`],
    [
      'withZeros',
      '{"price":1.5,"text":"1.5","count":2,"small":1.5e-9}',
      '{"price":1.50,"text":"1.5","count":2,"small":1.5e-9}',
    ],
    ['reversed', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['withNewline', '{}', '{}\n'],
    ['beyondAscii', '{"a":"é"}', '{"a":"é"}'],
  ] as const)('%s writes %s so', (name, text, other) => {
    expect(spellings[name](text)).toBe(other);
  });

  it.each([
    ['escaped', '{"a":1}'],
    ['withZeros', '{"count":2,"text":"1.5"}'],
    ['reversed', '{"a":1}'],
    ['beyondAscii', '{"a":"e"}'],
  ] as const)('%s finds nothing in %s', (name, text) => {
    expect(spellings[name](text)).toBeUndefined();
  });
});
