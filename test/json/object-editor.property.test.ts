import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanMembers } from '../../src/json/members.js';
import { ObjectEditor } from '../../src/json/object-editor.js';
import { ObjectText } from '../../src/json/object-text.js';
import { objectText, valueText } from '../helpers/json-text.js';
import { runs } from '../helpers/property-runs.js';

type Step =
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove'; readonly name: string };

function set(name: string, value: string): Step {
  return { kind: 'set', name, value };
}

function remove(name: string): Step {
  return { kind: 'remove', name };
}

function edited(object: string, steps: readonly Step[]): string {
  return applied(new ObjectEditor(new ObjectText(Buffer.from(object))), steps);
}

function applied(editor: ObjectEditor, steps: readonly Step[]): string {
  for (const step of steps) {
    if (step.kind === 'remove') editor.remove(step.name);
    else editor.set(step.name, Buffer.from(step.value));
  }
  return editor.text().toBuffer().toString();
}

describe('an edited object', () => {
  it.each<[string, Step[], string]>([
    ['{}', [], '{}'],
    [' { "a" : 1 } ', [], ' { "a" : 1 } '],
    [' { } ', [set('a', '1')], ' {"a":1 } '],
    [' { } ', [remove('a')], ' { } '],
    ['{ "a" : 1 , "b" : 2 }', [set('a', '3')], '{ "a" : 3 , "b" : 2 }'],
    ['{ "a" : 1 , "b" : 2 }', [set('c', '3')], '{ "a" : 1 , "b" : 2,"c":3 }'],
    ['{ "a" : 1 , "b" : 2 }', [remove('a')], '{ "b" : 2 }'],
    ['{ "a" : 1 , "b" : 2 }', [remove('b')], '{ "a" : 1 }'],
    ['{ "a" : 1 , "b" : 2 }', [remove('a'), remove('b')], '{ }'],
    ['{ "a" : 1 , "b" : 2 }', [remove('a'), remove('b'), set('c', '3')], '{"c":3 }'],
    ['{"a":1, "b":2, "c":3, "d":4}', [remove('b'), remove('c')], '{"a":1, "d":4}'],
    ['{"a":1, "b":2, "c":3 ,"d":4 }', [remove('c'), remove('d')], '{"a":1, "b":2 }'],
    ['{"a":1,"b":2}', [remove('b'), set('c', '3')], '{"a":1,"c":3}'],
    ['{"a":1,"b":2}', [remove('a'), set('a', '3')], '{"a":3,"b":2}'],
    ['{"a":1}', [set('b', '2'), set('b', '3')], '{"a":1,"b":3}'],
    ['{"a":1}', [set('b', '2'), remove('b')], '{"a":1}'],
    ['{"a":1,"b":0,"a":2}', [set('a', '3')], '{"a":1,"b":0,"a":3}'],
    ['{"a":1,"b":0,"a":2}', [remove('a')], '{"b":0}'],
    ['{"a":1,"b":0,"a":2}', [remove('a'), set('a', '3')], '{"b":0,"a":3}'],
    ['{"\\u0061" : 1}', [set('a', '2')], '{"\\u0061" : 2}'],
    ['{"\\u0061" : 1}', [remove('a')], '{}'],
    ['{"é":"ü","n":1e400}', [set('ö"', '"€"')], '{"é":"ü","n":1e400,"ö\\"":"€"}'],
    ['{"__proto__":1}', [set('__proto__', '{"a":1}')], '{"__proto__":{"a":1}}'],
    ['{}', [set('\ud800', '1')], '{"\\ud800":1}'],
  ])('%s, after %j, is %s', (object, steps, expected) => {
    expect(edited(object, steps)).toBe(expected);
  });

  it('equals the same edits of the value', () => {
    fc.assert(
      fc.property(objectText, steps, (object, list) => {
        const value = JSON.parse(object) as Record<string, unknown>;
        expect(JSON.parse(edited(object, list))).toEqual(model(value, list));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('keeps the text, order and name of every member that was not edited', () => {
    fc.assert(
      fc.property(objectText, steps, (object, list) => {
        const names = new Set(list.map(({ name }) => name));
        expect(membersOf(edited(object, list), names)).toEqual(membersOf(object, names));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('keeps every byte outside of a value that was set', () => {
    fc.assert(
      fc.property(objectText, fc.nat(), valueText, (object, pick, value) => {
        const bytes = Buffer.from(object);
        const { members } = scanMembers(bytes);
        fc.pre(members.length > 0);
        const { name } = members[pick % members.length]!;
        const { start, end } = members.findLast((member) => member.name === name)!;
        const [before, after] = [bytes.toString('utf8', 0, start), bytes.toString('utf8', end)];
        expect(edited(object, [set(name, value)])).toBe(`${before}${value}${after}`);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('can be edited after a merge', () => {
    fc.assert(
      fc.property(objectText, objectText, steps, (own, under, list) => {
        const merge = () =>
          ObjectEditor.merge(
            new ObjectText(Buffer.from(own.trim())),
            new ObjectText(Buffer.from(under.trim())),
          );
        const merged = JSON.parse(applied(merge(), [])) as Record<string, unknown>;
        expect(JSON.parse(applied(merge(), list))).toEqual(model(merged, list));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('has the bytes of its source where these are not text', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}'),
    ]);
    const editor = new ObjectEditor(new ObjectText(bytes)).set('b', '1');
    const expected = Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"b":1}')]);
    expect(editor.text().toBuffer().equals(expected)).toBe(true);
  });
});

const name = fc.constantFrom('a', 'b', 'type', 'userId', '', '1', '__proto__', 'constructor', 'é"');

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('set' as const), name, value: valueText }),
    fc.record({ kind: fc.constant('remove' as const), name }),
  ),
  { maxLength: 5 },
);

/** The same steps on a value, for which `__proto__` is a name like any other. */
function model(value: Record<string, unknown>, list: readonly Step[]): Record<string, unknown> {
  const entries = new Map(Object.entries(value));
  for (const step of list) {
    if (step.kind === 'remove') entries.delete(step.name);
    else entries.set(step.name, JSON.parse(step.value));
  }
  return Object.fromEntries(entries);
}

/** The texts of all members, except those of some names. */
function membersOf(object: string, left: ReadonlySet<string>): string[] {
  const bytes = Buffer.from(object);
  return scanMembers(bytes)
    .members.filter((member) => !left.has(member.name))
    .map(({ nameStart, end }) => bytes.toString('utf8', nameStart, end));
}
