import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { GroupWriter } from '../../../../src/serve/store/postgres/group-writer.js';
import { StoreUnavailable } from '../../../../src/store/postgres/unavailable.js';

function writerOf(write: (items: readonly number[]) => Promise<void>): GroupWriter<number> {
  return new GroupWriter({ write, weightOf: () => 1, maxWeight: 2, parallel: 1 });
}

const turn = promisify(setImmediate);

describe('a group writer', () => {
  it('writes together what comes while a group is written, in its order', async () => {
    const groups: number[][] = [];
    const writer = writerOf((items) => Promise.resolve(void groups.push([...items])));
    await Promise.all([1, 2, 3, 4, 5].map((item) => writer.add(item)));
    expect(groups).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('writes several groups at once only where they are full', async () => {
    const groups: { readonly items: readonly number[]; readonly end: () => void }[] = [];
    const write = (items: readonly number[]): Promise<void> =>
      new Promise((resolve) => groups.push({ items, end: resolve }));
    const writer = new GroupWriter({ write, weightOf: () => 1, maxWeight: 2, parallel: 2 });
    const added = [1].map((item) => writer.add(item));
    await turn();
    added.push(writer.add(2));
    await turn();
    expect(groups.map(({ items }) => items)).toEqual([[1]]);
    added.push(writer.add(3), writer.add(4));
    await turn();
    expect(groups.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    added.push(writer.add(5));
    await turn();
    expect(groups).toHaveLength(2);
    groups[0]!.end();
    groups[1]!.end();
    await expect.poll(() => groups.at(-1)!.items).toEqual([4, 5]);
    groups.at(-1)!.end();
    await Promise.all(added);
  });

  it('rejects what waits, too, when the store is away', async () => {
    let writes = 0;
    const writer = writerOf(() => {
      writes++;
      return Promise.reject(new StoreUnavailable('lost', 'no response'));
    });
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => writer.add(item)));
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect(writes).toBe(1);
  });

  it('writes the others without one that cannot be written', async () => {
    const written: number[] = [];
    const writer = writerOf((items) => {
      if (items.includes(2)) return Promise.reject(new Error('no'));
      written.push(...items);
      return Promise.resolve();
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => writer.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(written).toEqual([1, 3]);
  });
});
