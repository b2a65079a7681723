import { expect, it } from 'vitest';
import type { StoreParts } from '../../../../src/serve/store/postgres/context.js';
import type { OrderLease } from '../../../../src/serve/store/postgres/order-lease.js';
import { OrderedTaker } from '../../../../src/serve/store/postgres/ordered-taker.js';
import type { Taker } from '../../../../src/serve/store/postgres/taker.js';
import type { Unit } from '../../../../src/serve/store/postgres/unit.js';

/** Blocks that wait, but for the first one, which another process has. */
function scene(count: number) {
  const queued = Array.from({ length: count }, (_, index) => index + 2);
  const released: number[] = [];
  let first: number | undefined = 1;
  const taker = {
    take: (_kind: string, limit: number) =>
      Promise.resolve(
        queued.splice(0, limit).map((id) => ({ id, job: { lost: new AbortController().signal } })),
      ),
    release: (units: readonly Unit[]) => {
      released.push(...units.map(({ id }) => id));
      return Promise.resolve();
    },
  } as unknown as Taker;
  const database = { query: () => Promise.resolve(first === undefined ? [] : [{ block: first }]) };
  const ordered = new OrderedTaker({
    parts: { shared: { database, schema: 'evfwd' } } as unknown as StoreParts,
    destination: 1,
    taker,
    lease: { obtain: () => Promise.resolve(true), job: {} } as unknown as OrderLease,
    blocks: () => [],
    isLost: () => false,
  });
  const take = async (): Promise<number[]> =>
    (await ordered.take('events', 8, false)).map(({ id }) => id);
  return { take, released, queued, endFirst: () => (first = undefined) };
}

const from = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

it('of the blocks behind one that another process has, only the first ones are kept in memory', async () => {
  const { take, released, queued, endFirst } = scene(60);
  expect(await take()).toEqual([]);
  expect(released).toEqual(from(34, 8));
  expect(queued).toHaveLength(20);
  endFirst();
  // In their order, once it is gone; those that were given back come later.
  expect((await take()).slice(0, 32)).toEqual(from(2, 32));
});
