import { expect, it } from 'vitest';
import type { StoreParts } from '../../../../src/serve/store/postgres/context.js';
import { OrderLease } from '../../../../src/serve/store/postgres/order-lease.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';

const hour = 3_600_000;

/** A lease of the one job of an ordered destination, which nobody else wants. */
function scene() {
  const clock = new VirtualClock();
  const did: string[] = [];
  const jobs = {
    createQueue: () => Promise.resolve(),
    insert: () => Promise.resolve(),
    fetch: () => {
      did.push('fetch');
      return Promise.resolve([{ lost: new AbortController().signal }]);
    },
    release: () => {
      did.push('release');
      return Promise.resolve();
    },
  };
  const database = { transaction: (work: (tx: object) => unknown) => Promise.resolve(work({})) };
  const parts = { shared: { jobs, database, schema: 'evfwd' } } as unknown as StoreParts;
  const lease = new OrderLease(parts, 1, clock, () => did.push('lost'));
  return { clock, did, lease };
}

it('the lease of an ordered destination is given up before the server takes it away after a day', async () => {
  const { clock, did, lease } = scene();
  expect(await lease.obtain()).toBe(true);
  clock.advance(12 * hour - 1);
  expect(await lease.obtain()).toBe(true);
  expect(did).toEqual(['fetch']);
  clock.advance(1);
  // Its owner gives it back once nothing is in flight.
  expect(await lease.obtain()).toBe(false);
  expect(did).toEqual(['fetch', 'lost']);
  await lease.release();
  expect(await lease.obtain()).toBe(true);
  expect(did).toEqual(['fetch', 'lost', 'release', 'fetch']);
  clock.advance(12 * hour - 1);
  expect(await lease.obtain()).toBe(true);
});

it('a lease that was closed is not asked for anymore', async () => {
  const { clock, did, lease } = scene();
  await lease.close();
  expect(await lease.obtain()).toBe(false);
  clock.advance(hour);
  expect(await lease.obtain()).toBe(false);
  expect(did).toEqual([]);
});
