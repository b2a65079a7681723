import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/clock.js';
import { GroupWriter } from '../../../../src/serve/store/postgres/group-writer.js';
import { StoreUnavailable } from '../../../../src/store/postgres/unavailable.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';

function writerOf(write: (items: readonly number[]) => Promise<void>): GroupWriter<number> {
  return new GroupWriter({
    ...{ write, clock: systemClock, weightOf: () => 1 },
    maxWeight: 2,
    parallel: 1,
  });
}

const turn = promisify(setImmediate);

/** Moves the clock, and lets what was due do its work. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  clock.advance(ms);
  await turn();
}

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
    const clock = systemClock;
    const writer = new GroupWriter({
      ...{ write, clock, weightOf: () => 1 },
      maxWeight: 2,
      parallel: 2,
    });
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

  it('waits 2 ms for more after a group of several callers, until a group is full', async () => {
    const groups: number[][] = [];
    const clock = new VirtualClock();
    const writer = new GroupWriter<number>({
      ...{ clock, weightOf: () => 1, maxWeight: 3, parallel: 1 },
      write: (items) => Promise.resolve(void groups.push([...items])),
    });
    await writer.add(0);
    await Promise.all([writer.add(1), writer.add(2)]);
    const added = [writer.add(3)];
    await pass(clock, 1);
    added.push(writer.add(4));
    await turn();
    expect(groups).toEqual([[0], [1, 2]]);
    await pass(clock, 1);
    await Promise.all(added);
    await Promise.all([5, 6, 7].map((item) => writer.add(item)));
    expect(groups.slice(2)).toEqual([
      [3, 4],
      [5, 6, 7],
    ]);
    const one = writer.add(8);
    await pass(clock, 2);
    await one;
    await writer.add(9);
    expect(groups.slice(4)).toEqual([[8], [9]]);
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
