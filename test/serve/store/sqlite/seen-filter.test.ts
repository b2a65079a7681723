import { describe, expect, it } from 'vitest';
import { SeenFilter } from '../../../../src/serve/store/sqlite/seen-filter.js';
import { seenKey } from '../../../../src/serve/store/seen-key.js';

function keys(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => seenKey(1, 2, String(first + i)));
}

/** A filter of a table that has `count` keys; entries of a table go on with their tick. */
function filterOf(count: number) {
  const table: string[][] = Array.from({ length: 256 }, () => []);
  let builds = 0;
  const put = (key: string): void => void table[key.charCodeAt(0)]!.push(`${key.slice(1)}t`);
  keys(0, count).forEach(put);
  const filter = new SeenFilter((firstByte) => {
    builds++;
    return table[firstByte]!;
  });
  return {
    filter,
    builds: () => builds,
    add: (added: readonly string[]): void => {
      for (const key of added) {
        put(key);
        filter.add(key);
      }
    },
    /** Asks for all parts, and builds them. */
    buildAll: (): void => {
      for (let i = 0; i < 256; i++) filter.mayHave(String.fromCharCode(i).repeat(12));
      for (let i = 0; i < 256; i++) filter.buildRequested();
    },
    countOfPossible: (asked: readonly string[]) =>
      asked.filter((key) => filter.mayHave(key)).length,
  };
}

describe('a filter of seen ids', () => {
  it('may have every key before it is built', () => {
    expect(filterOf(0).countOfPossible(keys(0, 1_000))).toBe(1_000);
  });

  it('is built during a transaction that asks for many keys, since each that it may have is a query', () => {
    const { builds, countOfPossible } = filterOf(1_000);
    // At most 31 for each first byte.
    expect(countOfPossible(keys(1_000, 100_000))).toBeLessThan(256 * 31 + 0.025 * 100_000);
    expect(builds()).toBe(256);
  });

  it.each([10, 1_000, 300_000])('of %i keys may have all of them, and few others', (count) => {
    const { buildAll, countOfPossible } = filterOf(count);
    buildAll();
    expect(countOfPossible(keys(0, count))).toBe(count);
    expect(countOfPossible(keys(count, 20_000))).toBeLessThan(0.025 * 20_000);
  });

  it('has keys that are added later, and is rebuilt larger when the table has grown', () => {
    const { add, buildAll, countOfPossible } = filterOf(1_000);
    for (let first = 1_000; first < 400_000; first += 50_000) {
      buildAll();
      const added = keys(first, 50_000);
      add(added);
      expect(countOfPossible(added)).toBe(50_000);
    }
    buildAll();
    expect(countOfPossible(keys(0, 401_000))).toBe(401_000);
    expect(countOfPossible(keys(401_000, 20_000))).toBeLessThan(0.025 * 20_000);
  });

  it('of a large table reads a few parts at the end of a transaction that asks for few keys of each', () => {
    const { filter, builds, countOfPossible } = filterOf(1_000_000);
    countOfPossible(keys(0, 4_000));
    filter.buildRequested();
    expect(builds()).toBeGreaterThan(0);
    expect(builds()).toBeLessThan(5);
  });
});
