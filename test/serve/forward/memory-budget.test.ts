import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryBudget } from '../../../src/serve/forward/memory-budget.js';

const total = 100_000;
const eventBytes = 1_000;

function holderIn(budget: MemoryBudget, isResponsive = false, onRoom = (): void => undefined) {
  const told = { rooms: 0, shortages: 0 };
  const share = budget.share({
    onRoom: () => {
      told.rooms++;
      onRoom();
    },
    onShortage: () => {
      told.shortages++;
    },
  });
  share.noteAttempt(isResponsive);
  /** Sends until it is refused, or this many. Returns what ends each event. */
  const send = (count = 64): (() => void)[] => {
    const ends: (() => void)[] = [];
    while (ends.length < count && share.maySend()) {
      ends.push(share.hold(eventBytes));
    }
    return ends;
  };
  return { share, told, send };
}

describe('the memory budget', () => {
  it('lets a few destinations hold all they can use', () => {
    const budget = new MemoryBudget(0, 1_000_000);
    const sent = [1, 2, 3].map(() => holderIn(budget).send().length);
    expect(sent).toEqual([64, 64, 64]);
    expect(budget.heldBytes).toBe(3 * 64 * eventBytes);
  });

  it('is not exceeded by more than one event of each destination, which each may have in flight', () => {
    for (const isResponsive of [false, true]) {
      const budget = new MemoryBudget(total, total);
      for (let i = 0; i < 500; i++)
        expect(holderIn(budget, isResponsive).send().length).toBeGreaterThan(0);
      expect(budget.heldBytes).toBeLessThanOrEqual(total + 500 * eventBytes);
    }
  });

  it('lets a destination that responds hold as much, however many others hang', () => {
    const budget = new MemoryBudget(total, total);
    for (let i = 0; i < 1_000; i++) holderIn(budget).send();
    expect(holderIn(budget, true).send().length).toBe(50);
  });

  it('moves what a destination holds when its attempts get no response anymore', () => {
    const budget = new MemoryBudget(total, 10_000);
    const { share, told, send } = holderIn(budget, true);
    send(20);
    for (let attempt = 0; attempt < 3; attempt++) share.noteAttempt(false);
    expect([budget.responsive.heldBytes, budget.silent.heldBytes]).toEqual([0, 20_000]);
    expect([share.maySend(), told.shortages]).toEqual([false, 1]);
  });

  it('tells those that were refused when there is room, the first one first, once', async () => {
    const budget = new MemoryBudget(0, 4_000);
    const order: string[] = [];
    const ends = holderIn(budget).send();
    const [first, second] = ['first', 'second'].map((name) =>
      holderIn(budget, false, () => void order.push(name)),
    );
    const others = [first!.send(1), second!.send(1)].flat();
    expect([first!.share.maySend(), second!.share.maySend()]).toEqual([false, false]);
    await nextTurn();
    expect(order).toEqual([]);
    for (const end of [...ends, ...others]) end();
    await nextTurn();
    await nextTurn();
    expect([order, budget.heldBytes]).toEqual([['first', 'second'], 0]);
  });

  it('lets those that got no response take turns, before a limit that leaves room for those that were never tried', async () => {
    const budget = new MemoryBudget(total, 0, 5 * eventBytes);
    const hanging = Array.from({ length: 5 }, () => holderIn(budget));
    const ends = hanging.map(({ send }) => send(1));
    expect(ends.map(({ length }) => length)).toEqual([1, 1, 1, 0, 0]);
    const untried = budget.share({ onRoom: () => undefined, onShortage: () => undefined });
    expect([untried.maySend(), holderIn(budget, true).share.maySend()]).toEqual([true, true]);
    ends[0]![0]!();
    await nextTurn();
    await nextTurn();
    expect(hanging.map(({ told }) => told.rooms)).toEqual([0, 0, 0, 1, 1]);
    expect(hanging[3]!.send(1).length).toBe(1);
    expect(hanging[4]!.send(1).length).toBe(0);
  });

  it('takes one that responds for silent after three attempts in a row without a response', () => {
    const { share } = holderIn(new MemoryBudget(), true);
    const after = (hasResponse: boolean): boolean => {
      share.noteAttempt(hasResponse);
      return share.isResponsive;
    };
    expect([false, false, true, false, false].map(after)).toEqual(Array(5).fill(true));
    expect([false, false, true].map(after)).toEqual([false, false, true]);
  });

  it('tells one that was refused as silent when it responds', async () => {
    const { share, told, send } = holderIn(new MemoryBudget(total, 2_000));
    send();
    expect(share.maySend()).toBe(false);
    share.noteAttempt(true);
    await nextTurn();
    expect(told.rooms).toBe(1);
  });

  it('counts each end once, and forgets a share that is closed when its events have ended', () => {
    const budget = new MemoryBudget(total, total);
    const { share, send } = holderIn(budget);
    const [end] = send(1);
    share.close();
    expect(budget.heldBytes).toBe(eventBytes);
    end!();
    end!();
    expect(budget.heldBytes).toBe(0);
  });
});
