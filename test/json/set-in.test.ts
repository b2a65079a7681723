import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObjectText, obstacle, setIn, textOf } from '../../src/json/set-in.js';

describe('setIn', () => {
  it.each([
    ['{}', 'a', '1', '{"a":1}'],
    [' { } ', 'a', '1', ' {"a":1 } '],
    ['{"a":1,"b":2}', 'a', '[3]', '{"a":[3],"b":2}'],
    ['{"a": 1 , "b": 2}', 'b', '-0', '{"a": 1 , "b": -0}'],
    ['{"a":1}', 'b', '1e400', '{"a":1,"b":1e400}'],
    ['{\n  "a": 1\n}', 'b', '2', '{\n  "a": 1,"b":2\n}'],
    [
      '{"a":{"b":12345678901234567890}}',
      'a.c',
      'null',
      '{"a":{"b":12345678901234567890,"c":null}}',
    ],
    ['{"a":{}}', 'a.b.c', '1', '{"a":{"b":{"c":1}}}'],
    ['{"\\u0061":1}', 'a', '2', '{"\\u0061":2}'],
    ['{"a":1,"a":2}', 'a', '3', '{"a":1,"a":3}'],
    ['{"x":{"d":1,"d":2}}', 'x.e', '3', '{"x":{"d":1,"d":2,"e":3}}'],
    ['{}', '__proto__.a', '1', '{"__proto__":{"a":1}}'],
    ['{"__proto__":{"a":1}}', '__proto__.a', '2', '{"__proto__":{"a":2}}'],
    ['{"a":"}\\"{"}', 'é"', '"ü"', '{"a":"}\\"{","é\\"":"ü"}'],
  ])('in %s, at %s, %s results in %s', (object, path, value, expected) => {
    expect(set(object, path.split('.'), value)).toBe(expected);
  });

  it('agrees with setting the parsed value, and keeps the text of all others', () => {
    fc.assert(
      fc.property(
        tree,
        fc.array(name, { minLength: 1, maxLength: 4 }),
        anyJson,
        (object, path, value) => {
          const text = JSON.stringify(object, null, 1);
          fc.pre(!obstacle(Buffer.from(text), path));
          const result = set(text, path, value);
          expect(JSON.parse(result)).toEqual(model(object, path, JSON.parse(value)));
          expect(result).toContain(value);
        },
      ),
    );
  });

  it('changes nothing outside the value, byte for byte', () => {
    const values = [
      '12345678901234567890',
      '1e400',
      '-0',
      '1.0',
      '"\\u00e9\\/"',
      '{"d":1,"d":2}',
      '[ 1 ,2 ]',
    ];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(values, { minLength: 1 }),
        fc.nat(),
        anyJson,
        (texts, pick, value) => {
          const at = pick % texts.length;
          const object = (list: string[]) =>
            `{ ${list.map((text, i) => `"m${i}" : ${text}`).join(' ,\n')} }`;
          const changed = texts.with(at, value);
          expect(set(object(texts), [`m${at}`], value)).toBe(object(changed));
          expect(set(`{"o":${object(texts)}}`, ['o', `m${at}`], value)).toBe(
            `{"o":${object(changed)}}`,
          );
        },
      ),
    );
  });
});

describe('obstacle', () => {
  it.each([
    ['{}', 'a.b', undefined],
    ['{"a":1}', 'a', undefined],
    ['{"a":{}}', 'a.b', undefined],
    ['{"a":1}', 'a.b', ['a']],
    ['{"a":null}', 'a.b', ['a']],
    ['{"a":{"b":[{}]}}', 'a.b.0.c', ['a', 'b']],
  ])('of %s along %s is %j', (object, path, expected) => {
    expect(obstacle(Buffer.from(object), path.split('.'))).toEqual(expected);
  });
});

it('distinguishes objects from other values, and finds the text of a member', () => {
  expect(
    ['{}', ' \n{"a":1}', '[]', '"{"', '1'].map((text) => isObjectText(Buffer.from(text))),
  ).toEqual([true, true, false, false, false]);
  expect(textOf(Buffer.from('{"a": 1 ,"a":[2 ] }'), 'a')?.toString()).toBe('[2 ]');
  expect(textOf(Buffer.from('{"a":1}'), 'b')).toBeUndefined();
});

const name = fc.constantFrom('a', 'b', 'é"', '', '__proto__', 'constructor');

type Tree = [string, string | number | Tree][];

/** Objects as lists of entries, since `__proto__` cannot be written as a member of a literal. */
const entries = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.uniqueArray(
    fc.tuple(name, fc.oneof({ maxDepth: 3 }, fc.constantFrom('x}', 7), tie('tree'))),
    { selector: ([key]) => key, maxLength: 4 },
  ),
})).tree;

const tree = entries.map((list) => fromTree(list) as Record<string, unknown>);

const anyJson = fc.constantFrom('1', '"a,b"', '{"z":[1]}', 'null', '-0', '[ ]');

function fromTree(list: Tree): unknown {
  return Object.fromEntries(
    list.map(([key, value]) => [key, Array.isArray(value) ? fromTree(value) : value]),
  );
}

function model(object: Record<string, unknown>, path: string[], value: unknown): unknown {
  const [first, ...inner] = path as [string, ...string[]];
  const old = Object.hasOwn(object, first)
    ? Object.getOwnPropertyDescriptor(object, first)!.value
    : {};
  const changed = inner.length === 0 ? value : model(old as Record<string, unknown>, inner, value);
  const others = Object.entries(object).filter(([key]) => key !== first);
  return Object.fromEntries([...others, [first, changed]]);
}

function set(object: string, path: string[], value: string): string {
  return setIn(Buffer.from(object), path, Buffer.from(value)).toString();
}
