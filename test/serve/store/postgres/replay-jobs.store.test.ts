import { expect, it, vi } from 'vitest';
import type { ReplayRequest } from '../../../../src/serve/kept/replay-store.js';
import { eventOf } from '../../../../src/serve/store/stored.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { serviceStore, type OpenedServiceStore } from './lane-user.js';
import { rowsOf } from './sharing.js';

const storeOf = sharedPostgres();
const request: ReplayRequest = { destination: 'crm', state: 'any' };

/** Once jobs are taken, queries with this text fail. */
function failAfterFetch({ shared: { database, jobs } }: OpenedServiceStore, text: string): void {
  const query = database.query.bind(database);
  const fetch = jobs.fetch.bind(jobs);
  vi.spyOn(jobs, 'fetch').mockImplementationOnce(async (queue, limit) => {
    const taken = await fetch(queue, limit);
    vi.spyOn(database, 'query').mockImplementation((sql, values) =>
      sql.includes(text) ? Promise.reject(new Error('lost')) : query(sql, values),
    );
    return taken;
  });
}

it('a replay whose job was taken, but could not be read, is taken by the next one that asks', async () => {
  const at = await storeOf();
  const [one, other] = [await serviceStore(at), await serviceStore(at)];
  await one.store.replays.create('r1', request);
  failAfterFetch(one, '.replay ');
  await expect(async () => one.store.replays.take()).rejects.toThrow('lost');
  vi.restoreAllMocks();
  expect(await other.store.replays.take()).toMatchObject([{ id: 'r1', state: 'running' }]);
  expect(await one.store.replays.take()).toEqual([]);
});

it('replays that have ended are not read when others are taken', async () => {
  const { store, shared } = await serviceStore(await storeOf());
  for (const id of ['r1', 'r2']) await store.replays.create(id, request);
  await store.replays.stop('r1');
  // What cannot be parsed cannot be read.
  await shared.database.query(
    `UPDATE ${shared.schema}.replay SET request = 'damaged' WHERE id = 'r1'`,
  );
  expect(await store.replays.take()).toMatchObject([{ id: 'r2' }]);
});

it('an event is not queued when the deletion of its user came while others had the replay', async () => {
  const { store, shared } = await serviceStore(await storeOf());
  await store.replays.create('r1', request);
  await store.replays.take();
  const confirm = shared.jobs.confirm.bind(shared.jobs);
  vi.spyOn(shared.jobs, 'confirm').mockImplementation(async (tx, queue, jobs) => {
    await shared.database.query(
      `INSERT INTO ${shared.schema}.deletion (source, user_id, timestamp, received_at, message_id)
       VALUES (0, '"gone"', '', 2, '')`,
    );
    return confirm(tx, queue, jobs);
  });
  const events = ['gone', 'here'].map((userId) => ({
    ...{ id: 1, source: 'web', receivedAt: 1, destinations: ['crm'] },
    event: eventOf(Buffer.from(`{"type":"track","event":"E","userId":"${userId}"}`), 'web'),
    stamp: { messageId: userId, writesMessageId: true },
  }));
  await store.replays.add({ id: 'r1', events, position: { done: 2 } }, 'crm');
  expect(await rowsOf({ shared }, 'replay')).toMatchObject([{ sent: 1 }]);
  expect(await rowsOf({ shared }, 'event_block')).toMatchObject([{ size: 1 }]);
});
