import { expect, it, vi } from 'vitest';
import { Pass } from '../../../../src/serve/store/postgres/kept-pass.js';
import { StoreUnavailable } from '../../../../src/store/postgres/unavailable.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { put, serviceStore } from './lane-user.js';
import { rowsOf } from './sharing.js';

const storeOf = sharedPostgres();

it('a pass over kept blocks starts over at once, unless it has taken long', () => {
  const pass = new Pass();
  pass.resume(0);
  pass.moveTo(7, 10);
  pass.resume(199);
  expect(pass.place).toBe(7);
  pass.resume(200);
  expect(pass.place).toBe(-1);
});

it('a pass deletes fewer blocks at once where that takes long or fails, and more again', () => {
  const pass = new Pass();
  const after = (change: () => void): number => {
    change();
    return pass.blocks;
  };
  const slow = (): void => pass.moveTo(1, 3_000);
  const fast = (): void => pass.moveTo(1, 20);
  expect([slow, () => pass.noteFailure(), fast, fast, fast, fast].map(after)).toEqual([
    500, 125, 250, 500, 1_000, 1_000,
  ]);
  for (let i = 0; i < 20; i++) pass.noteFailure();
  expect(pass.blocks).toBe(10);
});

it('blocks that wait are passed over in pages, and removals are done also where nothing can be deleted', async () => {
  const { shared, store } = await serviceStore(await storeOf());
  const { database, schema } = shared;
  // The first 2,500 wait, as for a destination that is down.
  await database.query(
    `WITH block AS (
       INSERT INTO ${schema}.event_block (id, queued_at, size, destinations, body, kept_ms, kept_for, users)
       SELECT n, CASE WHEN n < 2000 THEN 1 ELSE n END, 1, 1, '', 1, '{}', '' FROM generate_series(1, 2600) AS n RETURNING id)
     INSERT INTO ${schema}.queued_block (destination, block, queued_at, waiting_count)
     SELECT -1, id, 0, 1 FROM block WHERE id <= 2500`,
  );
  await database.query(
    `INSERT INTO ${schema}.kept_removal (block, user_id, received_at) VALUES (2600, '"gone"', 1)`,
  );
  await database.query(
    `INSERT INTO ${schema}.count_change (changes) VALUES ('[[0,0,"kept_bytes",312000]]')`,
  );
  const work = database.transaction.bind(database);
  const transaction = vi.spyOn(database, 'transaction');
  transaction.mockRejectedValueOnce(new StoreUnavailable('lost', 'slow'));
  store.kept.configure({ retentionMs: 1, maxBytes: 1, ofDestinations: new Map() });
  await expect(store.kept.sweep()).rejects.toThrow('slow');
  transaction.mockImplementation(work);
  expect(await rowsOf({ shared }, 'kept_removal')).toEqual([]);
  const left = await rowsOf({ shared }, 'event_block');
  expect(left).toHaveLength(2_500);
});

it('a removal is noted for users alone of whom an event of the block still waits', async () => {
  const { shared, store } = await serviceStore(await storeOf());
  store.kept.configure({ retentionMs: 60_000, maxBytes: 1e9, ofDestinations: new Map() });
  await put(store, ['m1']);
  const receivedAt = shared.database.now() + 60_000;
  const users = ['u', 'never seen', 'nor this one'].map((id) => ({
    userId: JSON.stringify(id),
    receivedAt,
  }));
  expect(await store.kept.remove(users, () => true)).toBe(true);
  expect(await rowsOf({ shared }, 'kept_removal')).toMatchObject([{ user_id: '"u"' }]);
});
