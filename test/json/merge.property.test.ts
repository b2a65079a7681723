import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObjectEditor } from '../../src/json/object-editor.js';
import { ObjectText } from '../../src/json/object-text.js';
import { objectText } from '../helpers/json-text.js';
import { runs } from '../helpers/property-runs.js';

function merged(own: string, under: string): string {
  const text = (object: string) => new ObjectText(Buffer.from(object));
  return ObjectEditor.merge(text(own), text(under)).text().toBuffer().toString();
}

describe('an object over another', () => {
  it.each([
    ['{}', '{"a":1}', '{"a":1}'],
    ['{ }', '{"a":1}', '{"a":1 }'],
    ['{"a":1}', '{}', '{"a":1}'],
    ['{"a":1}', '{"a":2}', '{"a":1}'],
    ['{"a":1}', '{"b":2}', '{"a":1,"b":2}'],
    ['{ "a" : 1 }', '{ "b" : 2 , "c" : 3 }', '{ "a" : 1,"b" : 2,"c" : 3 }'],
    ['{"a":{"x":1},"z":0}', '{"a":{"x":2,"y":3}}', '{"a":{"x":1,"y":3},"z":0}'],
    ['{"a":{"b":{}}}', '{"a":{"b":{"c":[1]}}}', '{"a":{"b":{"c":[1]}}}'],
    ['{"a":null}', '{"a":{"x":1}}', '{"a":null}'],
    ['{"a":[]}', '{"a":{"x":1}}', '{"a":[]}'],
    ['{"a":{"x":1}}', '{"a":null}', '{"a":{"x":1}}'],
    ['{"n":1.0}', '{"n":9007199254740993,"m":1e400}', '{"n":1.0,"m":1e400}'],
    ['{"\\u0061":1}', '{"a":2}', '{"\\u0061":1}'],
    ['{"é":1}', '{"\\u00e9":2,"\\ud83d\\ude00":"\\u00fc"}', '{"é":1,"\\ud83d\\ude00":"\\u00fc"}'],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"b":2}}', '{"__proto__":{"a":1,"b":2}}'],
    ['{}', '{"__proto__":1,"constructor":2}', '{"__proto__":1,"constructor":2}'],
    ['{"a":{},"a":{"x":1}}', '{"a":{"y":2}}', '{"a":{},"a":{"x":1,"y":2}}'],
    ['{"a":{"x":1}}', '{"a":{"y":1},"a":{"z":2}}', '{"a":{"x":1,"z":2}}'],
  ])('%s over %s is %s', (own, under, expected) => {
    expect(merged(own, under)).toBe(expected);
    expect(({} as Record<string, unknown>).b).toBeUndefined();
  });

  it('equals a merge of the values, whatever their text', () => {
    const trimmed = objectText.map((text) => text.trim());
    fc.assert(
      fc.property(trimmed, trimmed, (own, under) => {
        const text = merged(own, under);
        expect(JSON.parse(text)).toEqual(reference(JSON.parse(own), JSON.parse(under)));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('keeps its own text, except for added members', () => {
    const trimmed = objectText.map((text) => text.trim());
    fc.assert(
      fc.property(trimmed, trimmed, (own, under) => {
        expect(isInside(own, merged(own, under))).toBe(true);
        expect(merged(own, own)).toBe(own);
      }),
      { numRuns: runs(1000) },
    );
  });
});

it('is scanned once, however many objects are merged over it', () => {
  const under = new ObjectText(Buffer.from('{"a":{"x":1}}'));
  expect(under.members).toBe(under.members);
  expect(under.child('a')).toBe(under.child('a'));
  expect(under.depth).toBe(2);
});

/** The same on values, for which `__proto__` is a name like any other. */
function reference(own: unknown, under: unknown): unknown {
  if (!isMap(own) || !isMap(under)) return own;
  const names = new Set([...Object.keys(own), ...Object.keys(under)]);
  const pairs = [...names].map((name): [string, unknown] => {
    if (!Object.hasOwn(own, name)) return [name, under[name]];
    return [name, Object.hasOwn(under, name) ? reference(own[name], under[name]) : own[name]];
  });
  return Object.fromEntries(pairs);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether another text contains the characters of one, in their order. */
function isInside(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (part.startsWith(character, at)) at += character.length;
  return at === part.length;
}
