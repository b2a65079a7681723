import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonTextError, readJsonSpans, type JsonSpan } from '../../src/json/spans.js';
import { allowedJson, forbiddenJson } from '../helpers/json-cases.js';
import { runs } from '../helpers/property-runs.js';

/** Rebuilds a text only from the spans of its values. */
function rewritten(text: string, node: JsonSpan): string {
  const of = ({ start, end }: { start: number; end: number }): string => text.slice(start, end);
  if (node.kind === 'array') return `[${node.items.map((i) => rewritten(text, i)).join(',')}]`;
  if (node.kind !== 'object') return of(node);
  const members = node.members.map(({ name, value }) => `${of(name)}:${rewritten(text, value)}`);
  return `{${members.join(',')}}`;
}

const unread = (text: string): number => {
  try {
    readJsonSpans(text);
  } catch (error) {
    if (error instanceof JsonTextError) return error.offset;
    throw error;
  }
  throw new Error(`it was read: ${text}`);
};

describe('readJsonSpans', () => {
  it.each(allowedJson)('reads %s, and keeps its text', (_, json) => {
    const text = `{"v":${json}}`;
    const root = readJsonSpans(text);
    const [member] = (root as Extract<JsonSpan, { kind: 'object' }>).members;
    expect(text.slice(member!.value.start, member!.value.end)).toBe(json);
  });

  it.each(forbiddenJson)('does not accept %s', (_, json) => {
    expect(() => readJsonSpans(`{"v":${json}}`)).toThrow(JsonTextError);
  });

  it('finds every value of a text at its offset', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t', '  '), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(rewritten(text, readJsonSpans(text))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('agrees with JSON.parse on what is JSON', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '\\',
        '1',
        '-',
        '0',
        '.',
        'e',
        'true',
        'null',
        ' ',
      ],
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        expect(isTaken(readJsonSpans, text)).toBe(isTaken(JSON.parse, text));
      }),
      { numRuns: runs(3000) },
    );
  });

  it.each([
    ['9007199254740993'],
    ['1e400'],
    ['-0'],
    ['1.0'],
    ['123456789012345678901234567890.000'],
  ])('keeps %s unchanged', (number) => {
    const text = `[${number}]`;
    expect(rewritten(text, readJsonSpans(text))).toBe(text);
  });

  it('keeps the order of members, and duplicated names', () => {
    const text = '{"b":1,"a":2,"b":3}';
    expect(rewritten(text, readJsonSpans(text))).toBe(text);
  });

  it('reads a text of any depth', () => {
    const depth = 200_000;
    const root = readJsonSpans('['.repeat(depth) + ']'.repeat(depth));
    expect(root).toMatchObject({ kind: 'array', start: 0, end: 2 * depth });
  });

  it.each([
    ['1', 0],
    ['[]', 0],
    ['[1]', 1],
    ['[[]]', 1],
    ['[[],{"a":1}]', 2],
    ['{"a":{"b":[]}}', 2],
  ])(
    'reads %s where %i levels around a value are allowed, and not where one less is',
    (text, levels) => {
      expect(readJsonSpans(text, levels)).toEqual(readJsonSpans(text));
      expect(() => readJsonSpans(text, levels - 1)).toThrow(JsonTextError);
    },
  );

  it('reads a long string', () => {
    const text = JSON.stringify('x\\"'.repeat(1_000_000));
    expect(readJsonSpans(text)).toEqual({ kind: 'string', start: 0, end: text.length });
  });

  it.each([
    ['{"a":1', 6],
    ['{"a" 1}', 5],
    ['[1,,2]', 3],
    ['{}x', 2],
    ['', 0],
    ['"ab', 3],
    ['nul', 0],
  ])('reports where %j stops being JSON', (text, offset) => {
    expect(unread(text)).toBe(offset);
  });
});

function isTaken(read: (text: string) => unknown, text: string): boolean {
  try {
    read(text);
    return true;
  } catch {
    return false;
  }
}
