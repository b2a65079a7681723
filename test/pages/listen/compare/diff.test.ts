import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonSpans } from '../../../../src/json/spans.js';
import { diffHeaders, diffJson, diffLines } from '../../../../pages/listen/compare/diff.js';

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
  const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 });

  it('has both texts, each in its order, and says how many equal lines it leaves out', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = diffLines(before.join('\n'), after.join('\n'));
        const count = (kind: 'added' | 'removed') =>
          lines
            .filter((line) => line.kind !== kind)
            .reduce((sum, line) => sum + (line.kind === 'skipped' ? line.count : 1), 0);
        const textsOf = (kind: 'added' | 'removed') =>
          lines.flatMap((line) => (line.kind === kind ? line.text : []));
        expect([count('added'), count('removed')]).toEqual([before.length, after.length]);
        expect(before).toEqual(expect.arrayContaining(textsOf('removed')));
        expect(after).toEqual(expect.arrayContaining(textsOf('added')));
      }),
    );
  });

  it('keeps what is the same, and leaves out what is far from a difference', () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    const after = before.map((line, i) => (i === 10 ? 'other' : line));
    const same = (from: number, to: number) =>
      before.slice(from, to).map((text) => ({ kind: 'same', text }));
    expect(diffLines(before.join('\n'), after.join('\n'))).toEqual([
      { kind: 'skipped', count: 7 },
      ...same(7, 10),
      { kind: 'removed', text: 'line 10' },
      { kind: 'added', text: 'other' },
      ...same(11, 14),
      { kind: 'skipped', count: 6 },
    ]);
  });

  it('shows all lines between two differences that are near', () => {
    const kinds = diffLines('a\n1\n2\n3\n4\n5\n6\nb', 'A\n1\n2\n3\n4\n5\n6\nB').map(
      ({ kind }) => kind,
    );
    expect(kinds.filter((kind) => kind === 'same')).toHaveLength(6);
    expect(kinds).not.toContain('skipped');
  });

  it('shows a newline at the end that only one text has', () => {
    expect(diffLines('a\n', 'a')).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'removed', text: '' },
    ]);
  });

  it('replaces a text that differs in too many lines to compare', () => {
    const many = (word: string) => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`);
    const lines = diffLines(many('a').join('\n'), many('b').join('\n'));
    expect(lines.map(({ kind }) => kind)).toEqual([
      ...many('').map(() => 'removed'),
      ...many('').map(() => 'added'),
    ]);
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
