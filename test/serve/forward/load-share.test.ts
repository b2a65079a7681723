import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LoadShare, type LoadPools } from '../../../src/serve/forward/load-share.js';
import { MemoryPool } from '../../../src/serve/forward/memory-pool.js';

const limit = 10_000;
const block = 1_000;

function poolsOf(): LoadPools {
  return { all: new MemoryPool(limit, limit), silent: new MemoryPool(limit / 2, limit / 2) };
}

/** Reads blocks of one destination; the returned functions end them. */
function reader(pools: LoadPools, isResponsive = true) {
  const ends: (() => void)[] = [];
  const read = (): boolean => {
    const end = share.reserve(block, ends.length === 0);
    if (end) ends.push(end);
    return end !== undefined;
  };
  const share: LoadShare = new LoadShare(pools, read);
  share.noteResponsive(isResponsive);
  return { share, ends, read };
}

describe('what destinations read from a store', () => {
  it('is as much as is free for one alone, and a block each up to the limit for many', () => {
    const pools = poolsOf();
    const one = reader(pools);
    while (one.read());
    expect(one.ends.length).toBe(5);
    const many = Array.from({ length: 20 }, () => reader(pools));
    for (const { read } of many) read();
    expect(pools.all.heldBytes).toBeLessThanOrEqual(limit);
  });

  it('leaves half to those that respond, however many do not', () => {
    const pools = poolsOf();
    const silent = Array.from({ length: 20 }, () => reader(pools, false));
    for (const { read } of silent) read();
    expect(pools.all.heldBytes).toBe(limit / 2);
    expect(silent.map(({ ends }) => ends.length)).toEqual(Array(20).fill(0).fill(1, 0, 5));
  });

  it('takes no turns from those that were never tried, however much others have read', async () => {
    const pools = poolsOf();
    const busy = Array.from({ length: 10 }, () => reader(pools));
    for (const { read } of busy) read();
    const untried = reader(pools, false);
    untried.read();
    busy[0]!.ends[0]!();
    expect(busy[0]!.read()).toBe(false);
    await nextTurn();
    expect([untried.ends.length, busy[0]!.ends.length]).toEqual([1, 1]);
    untried.share.noteResponsive(true);
    expect([pools.all.heldBytes, pools.silent.heldBytes]).toEqual([limit, 0]);
  });

  it('goes on in the order in which they were refused, one after the other', async () => {
    const pools = poolsOf();
    const all = Array.from({ length: 30 }, () => reader(pools));
    for (const { read } of all) read();
    const counts = (): number[] => all.map(({ ends }) => ends.length);
    expect(counts()).toEqual(Array(30).fill(0).fill(1, 0, 10));
    for (const { ends } of all.slice(0, 10)) ends.shift()!();
    // It has just ended a block, and others wait.
    expect(all[0]!.read()).toBe(false);
    await nextTurn();
    expect(counts()).toEqual(Array(30).fill(0).fill(1, 10, 20));
    expect(pools.all.heldBytes).toBe(limit);
  });

  it('waits for no other that holds too much itself', async () => {
    const pools = poolsOf();
    const greedy = reader(pools);
    while (greedy.read());
    const modest = reader(pools);
    expect([greedy.share.isRefused, modest.read()]).toEqual([true, false]);
    await nextTurn();
    expect([modest.ends.length, modest.share.isRefused, greedy.share.isRefused]).toEqual([
      1,
      false,
      true,
    ]);
  });

  it('tells one that was refused its only batch, also where it was refused another block since', async () => {
    const pools = poolsOf();
    const others = Array.from({ length: 9 }, () => reader(pools));
    for (const { read } of others) read();
    let rooms = 0;
    const share = new LoadShare(pools, () => {
      rooms++;
    });
    share.noteResponsive(true);
    const end = share.reserve(block, true);
    expect([share.reserve(block, true), share.reserve(block, false)]).toEqual([
      undefined,
      undefined,
    ]);
    others[0]!.ends[0]!();
    await nextTurn();
    expect([end === undefined, rooms]).toEqual([false, 1]);
  });

  it('is short from half of the limit on', () => {
    const pools = poolsOf();
    const { share, read } = reader(pools);
    for (let i = 0; i < 4; i++) read();
    expect(share.isShort).toBe(false);
    read();
    expect(share.isShort).toBe(true);
  });

  it('wakes nobody that was closed', async () => {
    const pools = poolsOf();
    const all = Array.from({ length: 12 }, () => reader(pools));
    for (const { read } of all) read();
    all[10]!.share.close();
    all[0]!.ends[0]!();
    await nextTurn();
    expect(all.slice(10).map(({ ends }) => ends.length)).toEqual([0, 1]);
  });
});
