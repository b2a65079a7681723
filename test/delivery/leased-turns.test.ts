import { describe, expect, it } from 'vitest';
import { LeasedTurns } from '../../src/delivery/leased-turns.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

function turnsOf() {
  const clock = new VirtualClock();
  let asked = 0;
  let unused = 0;
  const ask = (returned: number): void => {
    asked++;
    unused += returned;
  };
  return { clock, turns: new LeasedTurns(ask, clock), asked: () => asked, unused: () => unused };
}

function leftOf(turns: LeasedTurns): number {
  const { leases, unused } = turns.end();
  return leases.reduce((sum, { turns }) => sum + turns, unused);
}

const lease = { inMs: 0, turns: 3, intervalMs: 5 };

describe('the turns of a rate that is shared', () => {
  it('are waited for until there is a lease, then are as far apart as it says', async () => {
    const { turns, asked } = turnsOf();
    const first = turns.turn();
    expect(asked()).toBe(3);
    turns.add({ ...lease, inMs: 7 });
    expect([await first, turns.turn(), turns.turn()]).toEqual([7, 12, 17]);
  });

  it('are asked for while the current ones are used, so that nothing waits between two leases', async () => {
    const { turns, asked } = turnsOf();
    const first = turns.turn();
    turns.add(lease);
    await first;
    expect(asked()).toBe(4);
    turns.add({ ...lease, inMs: 15 });
    const waits = [turns.turn(), turns.turn(), turns.turn()];
    expect([waits, asked()]).toEqual([[5, 10, 15], 5]);
  });

  it('are asked for further ahead when responses are slower than the rate', async () => {
    const { turns, asked } = turnsOf();
    const first = turns.turn();
    turns.add({ ...lease, turns: 1 });
    await first;
    const second = turns.turn();
    turns.add({ ...lease, turns: 1 });
    await second;
    // Three were enough at first; now six are on their way.
    expect(asked()).toBe(8);
  });

  it('that are much too late are returned, so that they are not used all at once', async () => {
    const { clock, turns, unused } = turnsOf();
    const first = turns.turn();
    turns.add({ inMs: 0, turns: 100, intervalMs: 5 });
    await first;
    clock.advance(300);
    // Those of the last 100 ms may still be used.
    const waits = Array.from({ length: 22 }, () => turns.turn());
    expect(waits.slice(-2)).toEqual([0, 5]);
    expect(waits.slice(0, -1).every((wait) => wait === 0)).toBe(true);
    expect(unused() + leftOf(turns)).toBe(100 - 23);
  });

  it('that a batch uses up are those in hand, and the others at once: what is on its way comes too early', async () => {
    const { turns, unused } = turnsOf();
    const first = turns.turn();
    turns.add(lease);
    await first;
    turns.skip(100);
    const next = turns.turn();
    expect(unused()).toBe(-98);
    for (let early = 0; early < 3; early++) turns.add(lease);
    turns.add({ ...lease, inMs: 500 });
    expect(await next).toBe(500);
    expect(turns.turn()).toBe(505);
  });

  it('that are left at the end are those that were not taken, with their times', async () => {
    const { clock, turns } = turnsOf();
    const first = turns.turn();
    turns.add({ ...lease, turns: 10 });
    await first;
    clock.advance(2);
    expect(turns.end()).toEqual({ leases: [{ inMs: 3, turns: 9, intervalMs: 5 }], unused: 0 });
    expect(turns.end()).toEqual({ leases: [], unused: 0 });
  });

  it('are not waited for once nothing more is sent', async () => {
    const { turns } = turnsOf();
    const waiting = turns.turn();
    turns.stop();
    expect(await waiting).toBe(0);
    expect(await turns.turn()).toBe(0);
  });
});
