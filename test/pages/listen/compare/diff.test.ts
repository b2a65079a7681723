import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonSpans } from '../../../../src/json/spans.js';
import { diffHeaders } from '../../../../pages/listen/compare/header-diff.js';
import { hunksOf } from '../../../../pages/listen/compare/hunks.js';
import { diffJson } from '../../../../pages/listen/compare/json-diff.js';
import { diffLines } from '../../../../pages/listen/compare/line-diff.js';

const json = (text: string) => ({ text, root: readJsonSpans(text) });

describe('diffJson', () => {
  it.each([
    ['{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1 }', []],
    ['{"a":1.0}', '{"a":1}', [['a', '1.0', '1']]],
    ['{"a":{"b c":"x"}}', '{"a":{"b c":"y"}}', [['a["b c"]', '"x"', '"y"']]],
    [
      '{"a":[1,2]}',
      '{"a":[1,3,4]}',
      [
        ['a[1]', '2', '3'],
        ['a[2]', undefined, '4'],
      ],
    ],
    [
      '{"a":1}',
      '{"b":1}',
      [
        ['a', '1', undefined],
        ['b', undefined, '1'],
      ],
    ],
    ['{"a":1,"a":2}', '{"a":1,"a":3}', [['["a#2"]', '2', '3']]],
    ['[1]', '{}', [['body', '[1]', '{}']]],
  ])('finds where %s and %s differ', (before, after, expected) => {
    const found = diffJson(json(before), json(after));
    expect(found.map(({ name, before: one, after: other }) => [name, one, other])).toEqual(
      expected,
    );
  });

  it('compares what is nested very deep as a whole', () => {
    const deep = (value: string) => json('['.repeat(50_000) + value + ']'.repeat(50_000));
    expect(diffJson(deep('1'), deep('2'))).toHaveLength(1);
  });

  it('compares by place a name that is repeated all over a large body', () => {
    const members = '"a":1,'.repeat(150_000);
    const found = diffJson(json(`{${members}"a":1}`), json(`{${members}"a":2}`));
    expect(found).toEqual([{ name: '["a#150001"]', before: '1', after: '2' }]);
  });

  it('does not take a name for the place of a repeated one', () => {
    const found = diffJson(json('{"a":1,"a#2":2,"a":3}'), json('{"a":1,"a#2":2,"a":4}'));
    expect(found).toEqual([{ name: '["a#3"]', before: '3', after: '4' }]);
  });
});

describe('diffLines', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });

  it('has both texts, each in its order', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = diffLines(before, after);
        const without = (kind: string) =>
          lines.filter((line) => line.kind !== kind).map(({ text }) => text);
        expect(without('added')).toEqual(before);
        expect(without('removed')).toEqual(after);
      }),
    );
  });

  it('keeps what is the same, and leaves out what is far from a difference', () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    const after = before.map((line, i) => (i === 10 ? 'other' : line));
    expect(hunksOf(diffLines(before, after)).map((hunk) => hunk.kind)).toEqual([
      'skipped',
      ...['same', 'same', 'same', 'removed', 'added', 'same', 'same', 'same'],
      'skipped',
    ]);
  });

  it('replaces a block that is too long to compare', () => {
    const many = (word: string) => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`);
    expect(diffLines(many('a'), many('b'))).toHaveLength(6000);
  });
});

it('compares headers by name, in any case, with all their values', () => {
  const before = [
    ['Host', 'a'],
    ['X-A', '1'],
    ['X-A', '2'],
    ['X-Old', 'x'],
  ] as const;
  const after = [
    ['host', 'a'],
    ['x-a', '1'],
    ['x-a', '3'],
    ['X-New', 'y'],
  ] as const;
  expect(diffHeaders(before, after)).toEqual([
    { name: 'x-a', before: '1\n2', after: '1\n3' },
    { name: 'x-old', before: 'x', after: undefined },
    { name: 'x-new', before: undefined, after: 'y' },
  ]);
});
