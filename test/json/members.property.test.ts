import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMember, repeatedName, scanMembers } from '../../src/json/members.js';
import { runs } from '../helpers/property-runs.js';

describe('the members of an object', () => {
  it.each([
    ['{}', [], 1],
    [' \t\r\n{ \t\r\n} ', [], 1],
    ['{"a":1}', ['a=1'], 1],
    [
      '{"a":-0.5e+10,"b":true,"c":false,"d":null}',
      ['a=-0.5e+10', 'b=true', 'c=false', 'd=null'],
      1,
    ],
    ['{ "a" : 1 , "b" : 2 }', ['a=1', 'b=2'], 1],
    ['{"a":"}],{\\"","b":"\\\\"}', ['a="}],{\\""', 'b="\\\\"'], 1],
    ['{"a":{"b":"}"},"c":[[]]}', ['a={"b":"}"}', 'c=[[]]'], 3],
    ['{"\\u0074ype":1,"\\"\\\\":2,"":3}', ['type=1', '"\\=2', '=3'], 1],
    ['{"é":"€😀","\u2028":1}', ['é="€😀"', '\u2028=1'], 1],
    ['{"__proto__":{},"a":1,"a":2}', ['__proto__={}', 'a=1', 'a=2'], 2],
  ])('of %j', (text, members, depth) => {
    const bytes = Buffer.from(text);
    const found = scanMembers(bytes);
    const shown = found.members.map(({ name, start, end }) => {
      return `${name}=${bytes.toString('utf8', start, end)}`;
    });
    expect([shown, found.depth]).toEqual([members, depth]);
  });

  it('are found in any JSON text, with their spans and the depth', () => {
    fc.assert(
      fc.property(object, ({ text, members }) => {
        const bytes = Buffer.from(text);
        const found = scanMembers(bytes);
        const texts = found.members.map(({ nameStart, start, end }) => ({
          // The name is followed by its colon and the space around it.
          name: bytes.toString('utf8', nameStart, start).replace(/[\s:]*$/, ''),
          value: bytes.toString('utf8', start, end),
        }));
        expect(texts).toEqual(members);
        expect(found.members.map(({ name }) => name)).toEqual(
          members.map(({ name }) => JSON.parse(name) as string),
        );
        expect(found.depth).toBe(depthOf(text));
        expect(JSON.parse(text)).toBeTypeOf('object');
      }),
      { numRuns: runs(500) },
    );
  });

  it('are found if they nest 100,000 levels deep', () => {
    const text = `{"a":${'[{"b":'.repeat(50_000)}1${'}]'.repeat(50_000)},"c":2}`;
    const { members, depth } = scanMembers(Buffer.from(text));
    expect(members.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(depth).toBe(100_001);
  });
});

describe('the members of other texts', () => {
  it.each(['', '[]', '1', '{"a":1', '{"a":1,}', '{"a"}', '{a:1}'])('are none: %j', (text) => {
    expect(scanMembers(Buffer.from(text)).members).toEqual([]);
  });
});

describe('a duplicated name', () => {
  it.each([1, 31, 32, 33, 1000])('is found after %i other members', (count) => {
    const names = Array.from({ length: count }, (_, i) => `m${i}`);
    expect(repeatedName(named([...names, 'm0']))).toBe('m0');
    expect(repeatedName(named([...names, 'last', 'last']))).toBe('last');
    expect(repeatedName(named(names))).toBeUndefined();
  });

  it('is the same name however it is spelled', () => {
    const { members } = scanMembers(Buffer.from('{"a":1,"\\u0061":2}'));
    expect(repeatedName(members)).toBe('a');
  });
});

it('finds a member by its name, the first of several', () => {
  const { members } = scanMembers(Buffer.from('{"a":1,"b":2,"a":3}'));
  expect(findMember(members, 'a')).toBe(members[0]);
  expect(findMember(members, 'constructor')).toBeUndefined();
});

const space = fc
  .array(fc.constantFrom(' ', '\n', '\r', '\t'), { maxLength: 3 })
  .map((characters) => characters.join(''));

const character = fc.oneof(
  fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '\n', '\u2028', 'é', '😀', '\0'),
  fc.string({ maxLength: 3, unit: 'binary' }),
);

/** A text in quotes, some of it in escapes that it does not need. */
const stringText = fc.array(fc.tuple(character, fc.boolean()), { maxLength: 5 }).map((parts) => {
  const inner = parts.map(([text, isEscaped]) =>
    isEscaped ? escaped(text) : JSON.stringify(text).slice(1, -1),
  );
  return `"${inner.join('')}"`;
});

const scalar = fc.constantFrom('1', '-0', '1e400', '12345678901234567890', 'true', 'false', 'null');

const { object } = fc.letrec<{ value: string; list: string; object: ObjectForm }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    stringText,
    tie('list'),
    tie('object').map(({ text }) => text.trim()),
  ),
  list: fc
    .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 3 }))
    .map(([empty, items]) => `[${items.map((item) => item.join('')).join(',') || empty}]`),
  object: fc
    .tuple(
      space,
      fc.array(fc.tuple(space, stringText, space, space, tie('value'), space), { maxLength: 4 }),
    )
    .map(([around, items]) => formOf(around, items)),
}));

interface ObjectForm {
  readonly text: string;
  readonly members: { readonly name: string; readonly value: string }[];
}

function formOf(around: string, items: [string, string, string, string, string, string][]) {
  const texts = items.map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`);
  return {
    text: `${around}{${texts.join(',') || around}}${around}`,
    members: items.map(([, name, , , value]) => ({ name, value })),
  };
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, i) => {
    return `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** Brackets that are open at once, once strings are out of the way. */
function depthOf(text: string): number {
  let open = 0;
  let depth = 0;
  for (const character of text.replace(/"(?:[^"\\]|\\.)*"/gs, '')) {
    if ('{['.includes(character)) depth = Math.max(depth, ++open);
    else if ('}]'.includes(character)) open--;
  }
  return depth;
}

function named(names: readonly string[]) {
  return names.map((name) => ({ name, nameStart: 0, start: 0, end: 0 }));
}
