import { describe, expect, it } from 'vitest';
import { TurnBudget } from '../../src/web/turn-budget.js';

/** Resolves after the work of the next turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Adds work of these sizes, and returns how much of it has run in all after each turn. */
async function runIn(turns: TurnBudget, sizes: readonly number[]): Promise<number[][]> {
  const ran: number[] = [];
  const after: number[][] = [];
  for (const [i, bytes] of sizes.entries()) turns.run(bytes, () => ran.push(i));
  while (ran.length < sizes.length) {
    after.push([...ran]);
    await nextTurn();
  }
  return [...after, ran];
}

describe('work', () => {
  it('runs at once until the bytes of a turn are spent', () => {
    const turns = new TurnBudget(100);
    const ran: number[] = [];
    const areRun = [60, 40].map((bytes, i) => turns.run(bytes, () => ran.push(i)));
    expect([areRun, ran]).toEqual([
      [true, true],
      [0, 1],
    ]);
  });

  it('runs in later turns, in order, when a turn is spent', async () => {
    const after = await runIn(new TurnBudget(100), [60, 60, 60, 30, 10, 500, 1]);
    expect(after[0]).toEqual([0, 1]);
    expect(after.at(-1)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    // The last one has to wait until the turns have paid for the one before it.
    expect(after.filter((ran) => ran.length === 6).length).toBeGreaterThanOrEqual(2);
  });

  it('that comes later does not overtake what waits', async () => {
    const turns = new TurnBudget(100);
    const ran: string[] = [];
    for (const name of ['a', 'b', 'c']) turns.run(100, () => ran.push(name));
    setImmediate(() => turns.run(1, () => ran.push('late')));
    while (ran.length < 4) await nextTurn();
    expect(ran).toEqual(['a', 'b', 'c', 'late']);
  });

  it('spends bytes of the next turns when it was larger than expected', async () => {
    const turns = new TurnBudget(100);
    turns.run(10, () => turns.spend(250));
    const ran: number[] = [];
    expect(turns.run(1, () => ran.push(1))).toBe(false);
    await new Promise(setImmediate);
    expect(ran).toEqual([]);
    while (ran.length === 0) await nextTurn();
    await nextTurn();
    expect(turns.run(100, () => undefined)).toBe(true);
  });

  it('spends what the promises of waiting work turn out to need, before the next one runs', async () => {
    const turns = new TurnBudget(100);
    const ran: number[] = [];
    const large = async (i: number): Promise<void> => {
      for (let hop = 0; hop < 20; hop++) await Promise.resolve();
      ran.push(i);
      turns.spend(300);
    };
    turns.run(100, () => undefined);
    for (let i = 0; i < 3; i++) turns.run(1, () => void large(i));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(ran).toEqual([0]);
    while (ran.length < 3) await nextTurn();
    expect(ran).toEqual([0, 1, 2]);
  });

  it('without bytes does not raise the limit of a turn', async () => {
    const turns = new TurnBudget(100);
    for (let i = 0; i < 9; i++) turns.run(0, () => undefined);
    const after = await runIn(turns, [100, 100, 100, 100]);
    // `nextTurn` waits for two.
    expect(after.map((ran) => ran.length)).toEqual([1, 3, 4]);
  });
});
