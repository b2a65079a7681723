import { describe, expect, it } from 'vitest';
import { LeasedTurns } from '../../src/delivery/leased-turns.js';
import { turnsPerLease, type LeaseRequest, type TurnLease } from '../../src/turn-lease.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** Leases of three turns, 5 ms apart. */
const perSecond = 300;
const lease: TurnLease = { inMs: 0, turns: 3, intervalMs: 5 };

function turnsOf(rate = perSecond) {
  const clock = new VirtualClock();
  const requests: LeaseRequest[] = [];
  const waiting: ((lease: TurnLease | undefined) => void)[] = [];
  const ask = (request: LeaseRequest): Promise<TurnLease | undefined> => {
    requests.push(request);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const turns = new LeasedTurns(ask, rate, clock);
  /** Responds to the oldest request. */
  const respond = async (next: TurnLease): Promise<void> => {
    waiting.shift()!(next);
    await Promise.resolve();
  };
  const unused = (): number => requests.reduce((sum, request) => sum + request.unused, 0);
  return { clock, turns, requests, unused, respond };
}

function leftOf(turns: LeasedTurns): number {
  const { leases, unused } = turns.release();
  return leases.reduce((sum, { turns }) => sum + turns, unused);
}

describe('the turns of a rate that is shared', () => {
  it('are waited for until there is a lease, then are as far apart as it says', async () => {
    const { turns, requests, respond } = turnsOf();
    const first = turns.turn();
    expect(requests).toEqual([{ turns: 3, unused: 0 }]);
    await respond({ ...lease, inMs: 7 });
    expect([await first, turns.turn(), turns.turn()]).toEqual([7, 12, 17]);
  });

  it('are asked for while the current ones are used, so that nothing waits between two leases', async () => {
    const { turns, requests, respond } = turnsOf();
    const first = turns.turn();
    await respond(lease);
    await first;
    expect(requests).toHaveLength(2);
    await respond({ ...lease, inMs: 15 });
    const waits = [turns.turn(), turns.turn(), turns.turn()];
    expect([waits, requests.length]).toEqual([[5, 10, 15], 3]);
  });

  it('are asked for further ahead when responses are slower than the rate', async () => {
    const { turns, requests, respond } = turnsOf(100);
    const waits = [turns.turn()];
    for (let responses = 0; responses < 4; responses++) {
      await respond({ ...lease, turns: 1 });
      waits.push(turns.turn());
    }
    expect(waits.every((wait) => typeof wait !== 'number')).toBe(true);
    // One more than in hand at first, eight in the end.
    expect(requests.length - 4).toBe(8);
  });

  it('are asked for only as far as they are wanted', async () => {
    const { turns, requests, respond } = turnsOf();
    const first = turns.turn(5);
    await respond(lease);
    await first;
    expect([turns.turn(4), turns.turn(3)]).toEqual([5, 10]);
    expect(requests.map((request) => request.turns)).toEqual([3, 2]);
    await respond({ ...lease, inMs: 15, turns: 2 });
    expect([turns.turn(2), turns.turn(1)]).toEqual([15, 20]);
    expect(requests).toHaveLength(2);
  });

  it('of a low rate are asked for when they are needed, one at a time', async () => {
    const { turns, requests, respond } = turnsOf(10);
    const first = turns.turn();
    await respond({ inMs: 3, turns: 1, intervalMs: 100 });
    expect([await first, requests.length]).toEqual([3, 1]);
    void turns.turn();
    expect(requests).toHaveLength(2);
  });

  it('go to those that wait, in the order in which they asked', async () => {
    const { turns, respond } = turnsOf();
    const waits = Promise.all([turns.turn(), turns.turn(), turns.turn(), turns.turn()]);
    await respond(lease);
    await respond({ ...lease, inMs: 15 });
    expect(await waits).toEqual([0, 5, 10, 15]);
  });

  it('are used in the order of their times, also if an earlier lease comes later', async () => {
    const { turns, respond } = turnsOf();
    const first = turns.turn();
    await respond({ ...lease, inMs: 30 });
    await first;
    await respond({ ...lease, inMs: 10, turns: 1 });
    expect([turns.turn(), turns.turn()]).toEqual([10, 35]);
  });

  it('that are much too late are returned, so that they are not used all at once', async () => {
    const { clock, turns, unused, respond } = turnsOf();
    const first = turns.turn();
    await respond({ inMs: 0, turns: 100, intervalMs: 5 });
    await first;
    clock.advance(300);
    // Those of the last 100 ms may still be used.
    const waits = Array.from({ length: 22 }, () => turns.turn());
    expect(waits.slice(-2)).toEqual([0, 5]);
    expect(waits.slice(0, -1).every((wait) => wait === 0)).toBe(true);
    expect(unused() + leftOf(turns)).toBe(100 - 23);
  });

  it('that a batch uses up are those in hand, and the others at once: what is on its way comes too early', async () => {
    const { turns, unused, respond } = turnsOf();
    const first = turns.turn();
    await respond(lease);
    await first;
    turns.skip(100);
    const next = turns.turn();
    expect(unused()).toBe(-98);
    await respond(lease);
    await respond({ ...lease, inMs: 500 });
    expect(await next).toBe(500);
    expect(turns.turn()).toBe(505);
  });

  it('that are released are those that were not taken, with their times', async () => {
    const { clock, turns, respond } = turnsOf();
    const first = turns.turn();
    await respond({ ...lease, turns: 10 });
    await first;
    clock.advance(2);
    expect(turns.release()).toEqual({ leases: [{ inMs: 3, turns: 9, intervalMs: 5 }], unused: 0 });
    expect(turns.release()).toEqual({ leases: [], unused: 0 });
  });

  it('are not waited for once nothing more is sent', async () => {
    const { turns } = turnsOf();
    const waiting = turns.turn();
    turns.stop();
    expect(await waiting).toBe(0);
    expect(await turns.turn()).toBe(0);
  });
});

it.each([
  [0.1, 1],
  [150, 1],
  [400, 4],
  [1_000_000, 1_000],
])('a lease at %d turns per second has at most %d turns', (rate, expected) => {
  expect(turnsPerLease(rate)).toBe(expected);
});
