import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../src/clock.js';
import { GroupWriter } from '../../../src/store/postgres/group-writer.js';
import { StoreUnavailable } from '../../../src/store/postgres/unavailable.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

function writerOf(write: (items: readonly number[]) => Promise<void>): GroupWriter<number> {
  return new GroupWriter({
    ...{ write, clock: systemClock, weightOf: () => 1 },
    maxWeight: 2,
    parallel: 1,
    isAlone: () => true,
  });
}

/** One whose groups end when the test says so; at most 20 items each, and two at the same time. */
function held(clock: Clock, isAlone = true) {
  const groups: { readonly items: readonly number[]; readonly end: () => void }[] = [];
  const write = (items: readonly number[]): Promise<void> =>
    new Promise((resolve) => groups.push({ items, end: resolve }));
  const writer = new GroupWriter({
    ...{ write, clock, weightOf: () => 1 },
    maxWeight: 20,
    parallel: 2,
    isAlone: () => isAlone,
  });
  const many = (count: number) => Array.from({ length: count }, (_, n) => writer.add(n));
  return { groups, many, writer };
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

  it('writes small groups at once, as many as it may at the same time', async () => {
    const { groups, writer } = held(new VirtualClock());
    const added = [writer.add(1)];
    await turn();
    added.push(writer.add(2));
    await turn();
    added.push(writer.add(3), writer.add(4));
    await turn();
    expect(groups.map(({ items }) => items)).toEqual([[1], [2]]);
    groups[0]!.end();
    await expect.poll(() => groups.at(-1)!.items).toEqual([3, 4]);
    for (const { end } of groups) end();
    await Promise.all(added);
  });

  it('waits 1 ms for half of many items, until a group is full or another one takes long', async () => {
    const clock = new VirtualClock();
    const { groups, many, writer } = held(clock);
    const added = many(16);
    await turn();
    added.push(writer.add(100));
    await turn();
    expect(groups).toHaveLength(1);
    groups[0]!.end();
    await turn();
    await pass(clock, 0.5);
    added.push(...many(6));
    await turn();
    expect(groups).toHaveLength(1);
    await pass(clock, 0.5);
    expect(groups[1]!.items).toHaveLength(7);
    added.push(...many(20));
    await turn();
    expect(groups[2]!.items).toHaveLength(20);
    groups[1]!.end();
    await turn();
    added.push(writer.add(101));
    await pass(clock, 49);
    expect(groups).toHaveLength(3);
    await pass(clock, 1);
    expect(groups[3]!.items).toEqual([101]);
    for (const { end } of groups) end();
    await Promise.all(added);
  });

  it('writes one half of many items while the other half is received', async () => {
    const { groups, many } = held(new VirtualClock());
    const added = many(16);
    await turn();
    groups[0]!.end();
    await turn();
    added.push(...many(8));
    await turn();
    added.push(...many(8));
    await turn();
    expect(groups.map(({ items }) => items.length)).toEqual([16, 8, 8]);
    for (const { end } of groups) end();
    await Promise.all(added);
  });

  it('waits 3 ms for all of many items beside other instances', async () => {
    const clock = new VirtualClock();
    const { groups, many, writer } = held(clock, false);
    const added = many(16);
    await turn();
    groups[0]!.end();
    await turn();
    added.push(...many(15));
    await turn();
    expect(groups).toHaveLength(1);
    added.push(writer.add(100));
    await turn();
    expect(groups.map(({ items }) => items.length)).toEqual([16, 16]);
    groups[1]!.end();
    await turn();
    added.push(...many(15));
    await pass(clock, 2.5);
    expect(groups).toHaveLength(2);
    await pass(clock, 0.5);
    expect(groups[2]!.items).toHaveLength(15);
    for (const { end } of groups) end();
    await Promise.all(added);
  });

  it('writes no more groups at the same time than it may, also where a timer ends meanwhile', async () => {
    const clock = new VirtualClock();
    const { groups, many } = held(clock);
    const added = many(16);
    await turn();
    groups[0]!.end();
    await turn();
    // A timer, and then half of them.
    added.push(...many(1), ...many(7));
    clock.advance(1);
    setImmediate(() => added.push(...many(20)));
    added.push(...many(8));
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(groups).toHaveLength(3);
    for (let ended = 1; ended < groups.length; ended++) {
      groups[ended]!.end();
      await turn();
      await pass(clock, 50);
    }
    await Promise.all(added);
  });

  it('goes by the last four groups', async () => {
    const { groups, many } = held(new VirtualClock());
    const added = many(40);
    for (let ended = 0; ended < groups.length || ended < 2; ended++) {
      await turn();
      groups[ended]!.end();
      await turn();
    }
    for (let single = 0; single < 6; single++) {
      added.push(...many(20));
      await turn();
      groups.at(-1)!.end();
      await turn();
    }
    await Promise.all(added);
    expect(groups.slice(-6).map(({ items }) => items.length)).toEqual(Array(6).fill(20));
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
