import { describe, expect, it } from 'vitest';
import { matchElements } from '../../../src/replay/candidate/elements.js';
import { found } from './found.js';

const none = (): ReadonlySet<string> => new Set();

/** Counts how often elements are read. */
function counted<T>(items: readonly T[]): { items: readonly T[]; reads: () => number } {
  let reads = 0;
  const proxy = new Proxy(items, {
    get: (target, name, receiver) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  return { items: proxy, reads: () => reads };
}

describe('elements of two arrays', () => {
  it('are read a few times each, however many there are', () => {
    const keys = Array.from({ length: 3_000 }, (_, n) => String(n));
    const [ones, others] = [counted(keys), counted(keys.slice(1))];
    const matched = matchElements(ones.items, others.items, none, none);
    expect(matched).toMatchObject({ pairs: [], missing: [0], added: [], isReordered: false });
    expect(ones.reads() + others.reads()).toBeLessThan(20 * keys.length);
  });

  it('that differ are looked into once each, and paired by what they have in common', () => {
    let asked = 0;
    const of = (names: string[]) => (i: number) => {
      asked++;
      return new Set([names[i]!, 'same']);
    };
    const [ones, others] = [
      ['a', 'b', 'c'],
      ['c', 'a', 'b'],
    ];
    const keys = (names: string[], by: string) => names.map((name) => name + by);
    const matched = matchElements(keys(ones, '1'), keys(others, '2'), of(ones), of(others));
    expect(matched.pairs).toEqual([
      [0, 1],
      [1, 2],
      [2, 0],
    ]);
    expect(asked).toBe(6);
  });

  it('that have very many members are paired in their order', () => {
    const members = Array.from({ length: 1_000 }, (_, n) => `m${n}`);
    let lookups = 0;
    class Counting extends Set<string> {
      override has(name: string): boolean {
        lookups++;
        return super.has(name);
      }
    }
    const keys = (by: string) => Array.from({ length: 50 }, (_, n) => `${n}${by}`);
    const of = (): Set<string> => new Counting(members);
    const { pairs } = matchElements(keys('a'), keys('b'), of, of);
    expect(pairs).toEqual(Array.from({ length: 50 }, (_, n) => [n, n]));
    expect(lookups).toBeLessThanOrEqual(500_000);
  });

  it.each<[string, string, string, string[]]>([
    [
      'some repeat and one is missing',
      '[1,1,2,2,3]',
      '[2,2,1,1]',
      ['order body', 'missing body.*'],
    ],
    ['of several equal ones one is missing', '[1,2,1]', '[2,1]', ['missing body.*']],
    ['one is another and those around it stay', '[1,1,2,2,3]', '[1,1,2,2,4]', ['value body.*']],
  ])('have another order, if they have, where %s', (_, one, other, expected) => {
    expect(found(one, other)).toEqual(expected);
  });

  it('and members of one name are all compared', () => {
    const text = (n: number): string => `{${Array.from({ length: n }, () => '"a":1').join()}}`;
    expect(found(text(3), text(2))).toEqual(['missing body.a']);
    expect(found(text(2), text(3))).toEqual(['added body.a']);
  });
});
