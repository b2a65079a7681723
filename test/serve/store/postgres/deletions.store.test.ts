import { expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/clock.js';
import { LogRedaction } from '../../../../src/serve/log-redaction.js';
import { DeletedUsers } from '../../../../src/serve/store/deleted-users.js';
import { Maintenance } from '../../../../src/serve/store/postgres/maintenance.js';
import type { PostgresStore } from '../../../../src/serve/store/postgres/postgres-store.js';
import type { OutcomeLog } from '../../../../src/serve/store/store-views.js';
import type { Database } from '../../../../src/store/postgres/database.js';
import type { SharedStore } from '../../../../src/store/postgres/open.js';
import type { Transaction } from '../../../../src/store/postgres/queries.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { serviceStore } from './lane-user.js';

const storeOf = sharedPostgres();

const insertDeletion = ({ database, schema }: SharedStore, user: string): [string, unknown[]] => [
  `INSERT INTO ${schema}.deletion (source, user_id, timestamp, received_at, message_id)
   VALUES (1, $1, '', $2, '')`,
  [JSON.stringify(user), database.now()],
];

const pendingOf = async (store: PostgresStore): Promise<string[]> =>
  (await store.pendingRedactions()).map(({ userId }) => userId);

/** A transaction that has done this, and stays open. */
async function begun(database: Database, work: (tx: Transaction) => Promise<unknown>) {
  let commit = (): void => undefined;
  const mayCommit = new Promise<void>((resolve) => (commit = resolve));
  let ended: Promise<void> | undefined;
  await new Promise<void>((resolve) => {
    ended = database.transaction(async (tx) => {
      await work(tx);
      resolve();
      await mayCommit;
    });
  });
  return { commit: () => (commit(), ended) };
}

/** Redacts once what is pending, in a log without lines. */
async function redact(store: PostgresStore): Promise<void> {
  const commit = vi.spyOn(store, 'commit');
  await new Promise<void>((resolve, reject) => {
    const deliveryLog = {
      deletedUsers: new DeletedUsers(),
      redact: () => (resolve(), Promise.resolve(true)),
    } as unknown as OutcomeLog;
    const redaction = new LogRedaction({
      ...{ store, deliveryLog, clock: systemClock, onFailure: reject },
      accept: () => Promise.resolve(),
    });
    redaction.start();
  });
  await expect.poll(() => commit.mock.calls.length).toBe(1);
  commit.mockRestore();
}

it('a deletion that is stored after one with a higher id stays pending until it was read', async () => {
  const { shared, store } = await serviceStore(await storeOf());
  const { database } = shared;
  const early = await begun(database, (tx) => tx.query(...insertDeletion(shared, 'early')));
  await database.query(...insertDeletion(shared, 'late'));
  const read = await store.pendingRedactions();
  expect(read).toMatchObject([{ userId: '"late"' }]);
  await early.commit();
  vi.spyOn(store, 'pendingRedactions').mockResolvedValueOnce(read);
  await redact(store);
  await expect.poll(() => pendingOf(store)).toEqual(['"early"']);
  await redact(store);
  await expect.poll(() => pendingOf(store)).toEqual([]);
});

it('the removal of kept events is not done before transactions that may store some are over, others aside', async () => {
  // As if each question took so long.
  let time = 0;
  const { shared, store } = await serviceStore(await storeOf(), ['crm'], (clock) => ({
    ...clock,
    monotonic: () => (time += 5_000),
  }));
  const { database, schema } = shared;
  const users = [{ userId: '"gone"', receivedAt: database.now() }];
  const remove = (): Promise<boolean> => store.kept.remove(users, () => true);
  const foreign = await begun(database, (tx) => tx.query('SELECT pg_current_xact_id()'));
  expect(await remove()).toBe(true);
  await foreign.commit();
  const storing = await begun(database, async (tx) => {
    await tx.query('SELECT pg_current_xact_id()');
    await tx.query(`SELECT FROM ${schema}.deletion`);
  });
  expect(await remove()).toBe(false);
  await storing.commit();
  expect(await remove()).toBe(true);
});

it('a deletion whose log an older instance has redacted stays pending, and is not pruned', async () => {
  const { shared, store } = await serviceStore(await storeOf());
  const { database, schema } = shared;
  await database.query(...insertDeletion(shared, 'gone'));
  await database.query(`UPDATE ${schema}.deletion SET in_log = false`);
  await database.query(
    `INSERT INTO ${schema}.deletion (source, user_id, timestamp, received_at, message_id, in_log, in_kept)
     SELECT 1, '"done"', '', 1, '', false, false FROM generate_series(1, 10001)`,
  );
  await new Maintenance({
    ...{ shared, maxDeadLetters: () => 1, onDropped: () => undefined },
  }).run();
  const ids = (await store.pendingRedactions()).map(({ id, userId }) => [id, userId]);
  expect(ids).toEqual([[1, '"gone"']]);
  await store.markRedacted([1]);
  expect(await pendingOf(store)).toEqual([]);
});
