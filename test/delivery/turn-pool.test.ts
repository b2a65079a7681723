import { describe, expect, it } from 'vitest';
import { TurnPool } from '../../src/delivery/turn-pool.js';
import type { LeaseRequest, TurnLease } from '../../src/turn-lease.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const fromStore: TurnLease = { inMs: 50, turns: 4, intervalMs: 10 };
const request: LeaseRequest = { turns: 4, unused: 0 };

function poolOf() {
  const clock = new VirtualClock();
  const returned: number[] = [];
  const lease = ({ turns, unused }: LeaseRequest): Promise<TurnLease> => {
    expect(turns).toBe(request.turns);
    returned.push(unused);
    return Promise.resolve(fromStore);
  };
  return { clock, returned, pool: new TurnPool(lease, clock) };
}

describe('the turns that jobs of one process share', () => {
  it('are those that one has left, at their times, before new ones of the store', async () => {
    const { clock, returned, pool } = poolOf();
    const later = { ...fromStore, inMs: 40 };
    pool.release({ leases: [later, { ...fromStore, inMs: 5, turns: 1 }], unused: 0 });
    clock.advance(3);
    expect(await pool.lease(request)).toEqual({ inMs: 2, turns: 1, intervalMs: 10 });
    expect(await pool.lease(request)).toEqual({ ...later, inMs: 37 });
    expect(returned).toEqual([]);
    expect(await pool.lease(request)).toBe(fromStore);
    expect(returned).toEqual([0]);
  });

  it('are no more than were asked for; the next job gets the rest', async () => {
    const { returned, pool } = poolOf();
    pool.release({ leases: [fromStore], unused: 0 });
    expect(await pool.lease({ turns: 3, unused: 0 })).toEqual({ ...fromStore, turns: 3 });
    expect(await pool.lease(request)).toEqual({ inMs: 80, turns: 1, intervalMs: 10 });
    expect(returned).toEqual([]);
  });

  it('are returned to the store when they have become too late', async () => {
    const { clock, returned, pool } = poolOf();
    pool.release({ leases: [{ inMs: 0, turns: 20, intervalMs: 10 }], unused: 2 });
    clock.advance(250);
    // Those of the last 100 ms may still be used.
    expect(await pool.lease({ turns: 10, unused: 1 })).toEqual({
      inMs: -100,
      turns: 5,
      intervalMs: 10,
    });
    clock.advance(1_000);
    await pool.lease(request);
    expect(returned).toEqual([18]);
  });

  it('that a batch uses up are of the store, not of what was left', async () => {
    const { returned, pool } = poolOf();
    pool.release({ leases: [fromStore], unused: 3 });
    await pool.lease({ turns: 4, unused: -100 });
    expect(returned).toEqual([-97]);
    expect(pool.end()).toBe(4);
  });

  it('that nobody will use are counted once', () => {
    const { pool } = poolOf();
    pool.release({ leases: [fromStore], unused: 3 });
    expect([pool.end(), pool.end()]).toEqual([7, 0]);
  });
});
