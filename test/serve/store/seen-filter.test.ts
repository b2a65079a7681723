import { expect, it } from 'vitest';
import { SeenFilter } from '../../../src/serve/store/seen-filter.js';
import { seenKey } from '../../../src/serve/store/seen-key.js';

function keys(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => seenKey(1, 2, String(first + i)));
}

/** A filter of a table that has `count` keys. */
function scene(count: number) {
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
      for (let i = 0; i < 256; i++) filter.build();
    },
    found: (asked: readonly string[]) => asked.filter((key) => filter.mayHave(key)).length,
  };
}

it('denies nothing before it is built', () => {
  expect(scene(0).found(keys(0, 1_000))).toBe(1_000);
});

it.each([10, 1_000, 300_000])('finds all of %i keys, and denies nearly all others', (count) => {
  const { buildAll, found } = scene(count);
  buildAll();
  expect(found(keys(0, count))).toBe(count);
  expect(found(keys(count, 20_000))).toBeLessThan(500);
});

it('finds keys that were added later, and is built anew when the table has grown', () => {
  const { add, buildAll, found } = scene(1_000);
  for (let first = 1_000; first < 400_000; first += 50_000) {
    buildAll();
    const added = keys(first, 50_000);
    add(added);
    expect(found(added)).toBe(50_000);
  }
  buildAll();
  expect(found(keys(0, 401_000))).toBe(401_000);
  expect(found(keys(401_000, 20_000))).toBeLessThan(500);
});

it('is built of a large table in small steps', () => {
  const { filter, builds, found } = scene(1_000_000);
  found(keys(0, 10_000));
  filter.build();
  expect(builds()).toBeGreaterThan(0);
  expect(builds()).toBeLessThan(5);
});
