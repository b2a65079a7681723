import { expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/clock.js';
import { LogRedaction } from '../../../../src/serve/log-redaction.js';
import { DeletedUsers } from '../../../../src/serve/store/deleted-users.js';
import type { PostgresStore } from '../../../../src/serve/store/postgres/postgres-store.js';
import type { OutcomeLog } from '../../../../src/serve/store/service-store.js';
import type { SharedStore } from '../../../../src/store/postgres/open.js';
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

/** Redacts once what is pending, in a log without lines. */
async function redact(store: PostgresStore): Promise<void> {
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
  await expect.poll(() => vi.mocked(store.commit).mock.calls.length).toBe(1);
  vi.mocked(store.commit).mockClear();
}

it('a deletion that is stored after one with a higher id stays pending until it was read', async () => {
  const { shared, store } = await serviceStore(await storeOf());
  const { database } = shared;
  vi.spyOn(store, 'commit');
  let begun = (): void => undefined;
  let commit = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const mayCommit = new Promise<void>((resolve) => (commit = resolve));
  const early = database.transaction(async (tx) => {
    await tx.query(...insertDeletion(shared, 'early'));
    begun();
    await mayCommit;
  });
  await hasBegun;
  await database.query(...insertDeletion(shared, 'late'));
  const read = await store.pendingRedactions();
  expect(read).toMatchObject([{ userId: '"late"' }]);
  commit();
  await early;
  vi.spyOn(store, 'pendingRedactions').mockResolvedValueOnce(read);
  await redact(store);
  await expect.poll(() => pendingOf(store)).toEqual(['"early"']);
  await redact(store);
  await expect.poll(() => pendingOf(store)).toEqual([]);
});
