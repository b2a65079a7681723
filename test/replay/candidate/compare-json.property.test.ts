import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Noise } from '../../../src/replay/candidate/noise.js';
import { pathText } from '../../../src/json/path.js';
import { valueText } from '../../helpers/json-text.js';
import { runs } from '../../helpers/property-runs.js';
import { found } from './found.js';

const named = fc.constantFrom('a', 'b', 'total', 'at', 'x.y', '__proto__', 'line_1');
const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string());
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(named, tie('tree'), { maxKeys: 4 }),
  ),
}));

/** The same value in another spelling: members in another order, with space and escapes. */
function respelled(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(respelled).join(' ,\n')}\t]`;
  if (typeof value === 'string') {
    const units = Array.from({ length: value.length }, (_, i) => value.charCodeAt(i));
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).reverse();
  return `{${members.map(([name, one]) => ` ${respelled(name)} : ${respelled(one)} `).join(',')}}`;
}

/** A copy of the value with something else in place of the scalar that is the n-th, and where that is. */
function planted(value: unknown, n: number, seed: unknown): { value: unknown; at?: string } {
  let left = n;
  let at: string | undefined;
  const copy = (one: unknown, place: string[]): unknown => {
    if (Array.isArray(one)) return one.map((each) => copy(each, [...place, '*']));
    if (typeof one === 'object' && one !== null) {
      const members = Object.entries(one).map(([name, each]) => [
        name,
        copy(each, [...place, name]),
      ]);
      return Object.fromEntries(members);
    }
    if (left-- !== 0) return one;
    at = pathText(place);
    return typeof one === 'number' ? one + 1 : seed;
  };
  const changed = copy(value, ['body']);
  return { value: changed, ...(at !== undefined && { at }) };
}

function typeName(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

/** As `planted`, with just that value. */
function replaced(value: unknown, n: number, by: unknown): { value: unknown; at?: string[] } {
  let left = n;
  let at: string[] | undefined;
  const copy = (one: unknown, place: string[]): unknown => {
    if (Array.isArray(one)) return one.map((each) => copy(each, [...place, '*']));
    if (typeof one === 'object' && one !== null) {
      const members = Object.entries(one);
      return Object.fromEntries(
        members.map(([name, each]) => [name, copy(each, [...place, name])]),
      );
    }
    if (left-- !== 0) return one;
    at = place;
    return by;
  };
  const changed = copy(value, []);
  return { value: changed, ...(at && { at }) };
}

function isWithin(place: readonly string[], outer: readonly string[]): boolean {
  return outer.every((name, i) => name === place[i]);
}

describe('two JSON bodies', () => {
  it('do not differ by their spelling or the order of members', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(found(JSON.stringify(value), respelled(value))).toEqual([]);
      }),
      { numRuns: runs(1_500) },
    );
  });

  it('differ in both directions or in none', () => {
    fc.assert(
      fc.property(valueText, valueText, (one, other) => {
        expect(found(one, one)).toEqual([]);
        expect(found(one, other).length > 0).toBe(found(other, one).length > 0);
      }),
      { numRuns: runs(1_500) },
    );
  });

  it('differ where one scalar was changed, and nowhere else', () => {
    const outside = { t: 'changed', n: 'not there before' };
    fc.assert(
      fc.property(tree, fc.nat(8), (value, n) => {
        const { value: changed, at } = planted(value, n, outside);
        fc.pre(at !== undefined);
        const places = found(JSON.stringify(value), JSON.stringify(changed)).map(
          (text) => text.split(' ')[1],
        );
        expect(places.length).toBeGreaterThan(0);
        // Elements that are most alike are compared, so an array that holds it can be paired in another way.
        for (const place of places) expect(at === place || at.includes('*')).toBe(true);
      }),
      { numRuns: runs(1_500) },
    );
  });

  it('do not differ where the handler itself does', () => {
    fc.assert(
      fc.property(tree, fc.nat(5), scalar, scalar, scalar, (value, n, one, two, three) => {
        const texts = [one, two, three].map((seed) =>
          JSON.stringify(planted({ value }, n, { seed }).value),
        );
        fc.pre(texts[0] !== texts[1]);
        // A type that was never seen is a difference.
        fc.pre([one, two].some((seen) => typeName(seen) === typeName(three)));
        const noise = new Noise();
        found(texts[0]!, texts[1]!, { noise, learns: true });
        expect(found(texts[0]!, texts[2]!, { noise })).toEqual([]);
      }),
      { numRuns: runs(1_500) },
    );
  });

  it('differ at a place that the handler leaves alone, whatever else is noise', () => {
    const gone = { value: undefined };
    const seeds = fc.oneof(scalar, fc.constant(undefined), tree);
    const names = fc.uniqueArray(fc.constantFrom(...'cdefghijkl'.split('')), {
      minLength: 6,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        ...[tree, names, fc.nat(8), fc.nat(8), seeds, fc.constantFrom('unseen', gone)],
        (value, made, n, m, seed, other) => {
          const inside = (one: unknown, from: number): unknown => ({
            value: one,
            ...Object.fromEntries(made.slice(from, from + 2).map((name) => [name, 1])),
          });
          const noisy = replaced(value, n, seed);
          const changed = replaced(value, m, other === gone ? undefined : other);
          fc.pre(noisy.at !== undefined && changed.at !== undefined);
          fc.pre(!isWithin(noisy.at, changed.at) && !isWithin(changed.at, noisy.at));
          const texts = [inside(value, 0), inside(noisy.value, 2), inside(changed.value, 4)].map(
            (one) => JSON.stringify(one),
          );
          fc.pre(JSON.stringify(changed.value) !== JSON.stringify(value));
          const noise = new Noise();
          found(texts[0]!, texts[1]!, { noise, learns: true });
          expect(noise.places).toContain('body.*');
          expect(found(texts[0]!, texts[2]!, { noise, again: texts[1]! })).not.toEqual([]);
        },
      ),
      { numRuns: runs(1_500) },
    );
  });

  it('have only another order if an array has the same elements', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { minLength: 2 }), (items) => {
        const texts = [items, items.toReversed()].map((list) => JSON.stringify({ list }));
        expect(found(texts[0]!, texts[1]!)).toEqual(['order body.list']);
        const noise = new Noise();
        found(texts[0]!, texts[1]!, { noise, learns: true });
        expect(found(texts[0]!, texts[1]!, { noise })).toEqual([]);
      }),
      { numRuns: runs(700) },
    );
  });
});

describe('a difference', () => {
  it.each<[string, string, string, string[]]>([
    ['digits of a number', '{"a":12.50}', '{"a":12.5}', ['value body.a']],
    ['a type', '{"a":1}', '{"a":"1"}', ['type body.a']],
    ['null in place of an object', '{"a":{"b":1}}', '{"a":null}', ['type body.a']],
    ['a member that is missing', '{"a":1,"b":2}', '{"a":1}', ['missing body.b']],
    ['a member that is added', '{"a":1}', '{"a":1,"b":2}', ['added body.b']],
    ['a name with a dot', '{"a.b":1}', '{"a.b":2}', ['value body.a\\.b']],
    ['the second of two equal names', '{"a":1,"a":2}', '{"a":1,"a":3}', ['value body.a']],
    ['a name that is there twice', '{"a":1}', '{"a":1,"a":1}', ['added body.a']],
    ['an element that is missing', '[1,2,3]', '[1,3]', ['missing body.*']],
    ['an element that is added', '[1,3]', '[1,2,3]', ['added body.*']],
    [
      'an element among others',
      '[{"n":1,"p":1},{"n":2,"p":2}]',
      '[{"n":1,"p":1},{"n":2,"p":3}]',
      ['value body.*.p'],
    ],
    [
      'a value of a map by id',
      '{"cus_a8f3k2x":{"n":1}}',
      '{"cus_a8f3k2x":{"n":2}}',
      ['value body.{id}.n'],
    ],
    [
      'another id',
      '{"1001":{"n":1}}',
      '{"1002":{"n":1}}',
      ['missing body.{id}', 'added body.{id}'],
    ],
    ['a body that is a scalar', '1', '2', ['value body']],
  ])('is %s', (_, one, other, expected) => {
    expect(found(one, other)).toEqual(expected);
  });

  it.each<[string, string[], string[]]>([
    ['an array of random length', ['[1]', '[1,2,3]', '[1,2]'], []],
    ['elements in random order', ['[1,2,3]', '[3,1,2]', '[2,3,1]'], []],
    ['such elements, of which one is another', ['[1,2,3]', '[3,1,2]', '[2,4,1]'], ['value body.*']],
    [
      'such elements with random members',
      [
        '[{"n":1,"t":11},{"n":2,"t":12}]',
        '[{"n":2,"t":13},{"n":1,"t":14}]',
        '[{"n":1,"t":15},{"n":3,"t":16}]',
      ],
      ['value body.*.n'],
    ],
    [
      'a map by random ids',
      ['{"cus_a8f3k2x":{"n":1}}', '{"cus_b9g4l3y":{"n":1}}', '{"cus_c1h5m4z":{"n":1}}'],
      [],
    ],
    [
      'a map by random ids, with another value',
      ['{"cus_a8f3k2x":{"n":1}}', '{"cus_b9g4l3y":{"n":1}}', '{"cus_c1h5m4z":{"n":2}}'],
      ['value body.{id}.n'],
    ],
    [
      'members with random names, with another value in one',
      ['{"ab":{"n":1},"AB":{"n":1}}', '{"cd":{"n":1},"CD":{"n":1}}', '{"ef":{"n":2}}'],
      ['value body.{id}.n'],
    ],
    ['members with random names', ['{"ab":1,"AB":1}', '{"cd":1,"CD":1}', '{"ef":1}'], []],
    [
      'a member that is there sometimes',
      ['{"a":1}', '{"a":1,"b":{"c":1}}', '{"a":2,"b":{"c":3}}'],
      ['value body.a'],
    ],
    [
      'an object that is null sometimes',
      ['{"a":{"n":1},"b":1}', '{"a":null,"b":1}', '{"a":null,"b":1}'],
      [],
    ],
    [
      'such an object, with another value in it',
      ['{"a":{"n":1}}', '{"a":null}', '{"a":{"n":2}}'],
      ['value body.a.n'],
    ],
    [
      'random values, but that one becomes another type',
      ['{"a":1,"b":1}', '{"a":2,"b":2}', '{"a":"3","b":3}'],
      ['type body.a'],
    ],
    [
      'random values, but that one is not there',
      ['{"a":1,"b":1}', '{"a":2,"b":2}', '{"b":3}'],
      ['missing body.a'],
    ],
    [
      'elements with random values, but that one becomes another type',
      ['[{"a":1},{"a":2}]', '[{"a":3},{"a":4}]', '[{"a":5},{"a":"6"}]'],
      ['type body.*.a'],
    ],
    ['random elements, but that one is not there', ['[1,2]', '[3,4]', '[5]'], ['missing body.*']],
    [
      'an object that is there sometimes, with other values in it',
      ['{"a":{"n":1}}', '{}', '{"a":{"n":2,"m":3}}'],
      [],
    ],
    ['a value of random type', ['{"a":1}', '{"a":"2"}', '{"a":3}'], []],
  ])('is none for %s', (_, [one, two, three], expected) => {
    const noise = new Noise();
    found(one!, two!, { noise, learns: true });
    expect(found(one!, three!, { noise })).toEqual(expected);
  });

  it.each<[string, (readonly [string, string])[], string, string[]]>([
    [
      'two names that take turns',
      [['{"id":5,"created":true}', '{"id":5,"duplicate":true}']],
      '{"created":true}',
      ['missing body.id'],
    ],
    [
      'the same in each of several requests',
      [
        ['{"id":5,"created":true}', '{"id":5,"duplicate":true}'],
        ['{"id":6,"duplicate":true}', '{"id":6,"created":true}'],
      ],
      '{"id":6,"duplicate":true,"more":1}',
      ['added body.more'],
    ],
    [
      'names that are made',
      [['{"id":5,"ab":1,"cd":2}', '{"id":5,"ef":1,"gh":2}']],
      '{"ij":1,"kl":2}',
      ['missing body.id'],
    ],
    [
      'names of several requests that are made',
      [
        ['{"id":5,"ab":1}', '{"id":5,"cd":1}'],
        ['{"id":5,"ef":1}', '{"id":5,"gh":1}'],
      ],
      '{"id":5,"ij":1}',
      [],
    ],
  ])('of a name is found beside %s', (_, learned, candidate, expected) => {
    const noise = new Noise();
    for (const [one, again] of learned) found(one, again, { noise, learns: true });
    const [one, again] = learned.at(-1)!;
    expect(found(one, candidate, { noise, again })).toEqual(expected);
  });

  it.each<[string[][], string[]]>([
    [[['body', 'a']], ['value body.items.*.b']],
    [[['body', 'items', '*', 'b']], ['value body.a']],
    [[['body', 'items', '0', 'b']], ['value body.a']],
    [[['body', 'items', '1', 'b']], ['value body.a', 'value body.items.*.b']],
    [[['body', 'items']], ['value body.a']],
    [[['body']], []],
  ])('is left out by --ignore %j', (ignored, expected) => {
    const found1 = found('{"a":1,"items":[{"b":1}]}', '{"a":2,"items":[{"b":2}]}', { ignored });
    expect(found1).toEqual(expected);
  });
});
