import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/clock.js';
import { DeletedUsers } from '../../../../src/serve/store/deleted-users.js';
import { unpackBatch, unpackLines } from '../../../../src/serve/store/postgres/codec.js';
import { Maintenance } from '../../../../src/serve/store/postgres/maintenance.js';
import { Names } from '../../../../src/serve/store/postgres/names.js';
import { PostgresOutcomeLog } from '../../../../src/serve/store/postgres/outcome-log.js';
import { keepsNothing } from '../../../../src/serve/kept/settings.js';
import { keysAtOnce, Seen } from '../../../../src/serve/store/postgres/seen.js';
import { StoreStatistics } from '../../../../src/serve/store/postgres/statistics.js';
import type { SharedStore } from '../../../../src/store/postgres/open.js';
import { setClockBack, sharedPostgres } from '../../../helpers/postgres.js';
import { startReceiver } from '../../../helpers/receiver.js';
import { testStore } from '../../../helpers/shared-store.js';
import { simple, track, until } from '../../serving.js';
import { laneOf, put, serviceStore } from './lane-user.js';
import { sharing } from './sharing.js';

const storeOf = sharedPostgres();
const key = 'a key of 12b';

async function openSeen() {
  const place = await storeOf();
  const { store } = await testStore(place);
  const { database, schema } = store;
  const seen = new Seen(database, schema);
  await seen.refresh();
  /** Notes keys in a transaction of their own. */
  const noted = (keys: readonly string[], now = database.now()): Promise<ReadonlySet<string>> =>
    database.transaction((tx) => seen.note(tx, new Set(keys), now));
  return { place, store, database, schema, seen, noted };
}

/** Keys for one more than `parts` statements. */
function keysForParts(parts: number): string[] {
  const length = parts * keysAtOnce + 1;
  return Array.from({ length }, (_, i) => `key ${String(i).padStart(8, '0')}`);
}

/** A day later: the newer table becomes the older one. */
async function rotate(seen: Seen, { database, schema }: SharedStore): Promise<void> {
  await database.query(`UPDATE ${schema}.seen_rotation SET since = since - 90000000`);
  await seen.refresh();
}

describe('the ids of the last day', () => {
  it('tell those that are new from those that are not, however few', async () => {
    const { noted } = await openSeen();
    expect(await noted(['a', 'b'])).toEqual(new Set(['a', 'b']));
    expect(await noted(['b', 'c', 'a', 'd'])).toEqual(new Set(['c', 'd']));
    expect(await noted(['a'])).toEqual(new Set());
  });

  it('are told from repeats also where there are more than one statement takes', async () => {
    const { noted } = await openSeen();
    const keys = keysForParts(2);
    // All keys of the first part are repeats, and so is the last one.
    const before = [...keys.slice(0, keysAtOnce), keys.at(-1)!];
    expect(await noted(before)).toEqual(new Set(before));
    expect(await noted(keys)).toEqual(new Set(keys.slice(keysAtOnce, -1)));
    expect(await noted(keys)).toEqual(new Set());
  });

  it('give the transaction its id before the next statement, also where the first part has only repeats', async () => {
    const { store, database, seen, noted } = await openSeen();
    const keys = keysForParts(1);
    await noted(keys);
    // To the older table: a repeat in the newer one locks its row, which gives the transaction its id.
    await rotate(seen, store);
    const id = await database.transaction(async (tx) => {
      const [, rows] = await Promise.all([
        seen.note(tx, new Set(keys), database.now()),
        tx.query('SELECT pg_current_xact_id_if_assigned()::text AS id'),
      ]);
      return rows[0]!.id;
    });
    expect(id).not.toBeNull();
  });

  it('are kept for a day, in one of two tables', async () => {
    const { store, database, seen, noted } = await openSeen();
    const now = database.now();
    expect(await noted([key], now)).toEqual(new Set([key]));
    await rotate(seen, store);
    // It is in the older table now.
    expect(await noted([key], now)).toEqual(new Set());
    expect(await noted([key], now + 90_000_000)).toEqual(new Set([key]));
  });

  it('do not wait for somebody who reads a table for long, as a backup does', async () => {
    const { place, database, schema, seen, noted } = await openSeen();
    const other = (await testStore(place)).store;
    await database.query(`UPDATE ${schema}.seen_rotation SET since = since - 90000000`);
    const newer = async (): Promise<unknown> =>
      (await database.query(`SELECT newer FROM ${schema}.seen_rotation`))[0]!.newer;
    await other.database.transaction(async (backup) => {
      await backup.query(`SELECT count(*) FROM ${schema}.seen_1`);
      await seen.refresh();
      expect(await newer()).toBe(0);
      expect(await noted([key])).toEqual(new Set([key]));
    });
    expect(database.failure).toBeUndefined();
    await seen.refresh();
    expect(await newer()).toBe(1);
  });
});

it('counters are the sum of all changes, equal ones included, before and after maintenance adds them up', async () => {
  const { store: shared } = await testStore(await storeOf());
  const { database, schema } = shared;
  const change = '[[1, 2, "x", 2]]';
  await database.query(
    `INSERT INTO ${schema}.count_change (changes) SELECT unnest($1::text[])::jsonb`,
    [[change, change, change, '[[1, 2, "x", 5], [1, 0, "y", 1]]']],
  );
  const statistics = new StoreStatistics(shared);
  const counts = async (): Promise<number[]> => {
    await statistics.refresh(0, true);
    return ['x', 'y'].map((what) => statistics.count(what));
  };
  expect(await counts()).toEqual([11, 1]);
  await new Maintenance({ shared, maxDeadLetters: () => 1, onDropped: () => undefined }).run();
  expect(await database.query(`SELECT id FROM ${schema}.count_change`)).toEqual([]);
  expect(await counts()).toEqual([11, 1]);
});

it('an instance that was asleep does not log a user whose deletion was requested meanwhile', async () => {
  const { store: shared } = await testStore(await storeOf());
  const { database, schema } = shared;
  const names = new Names(database, schema);
  const log = new PostgresOutcomeLog({
    parts: { shared, names, seen: new Seen(database, schema), keep: () => keepsNothing },
    ...{ clock: systemClock, instance: 'asleep', deletedUsers: new DeletedUsers() },
  });
  const at = Date.now();
  log.add({
    ...{ at, receivedAt: at, state: 'delivered', source: 'web', destination: 'crm' },
    ...{ messageId: 'm1', type: 'track', name: 'E', user: 'deleted-user', attempts: 1 },
    ...{ status: 200, error: null, durationMs: 1, code: null, message: null, nextAt: null },
    ...{ endpoints: [], response: null },
  });
  await database.query(
    `INSERT INTO ${schema}.deletion (source, user_id, timestamp, received_at, message_id, in_log)
     VALUES (1, '"deleted-user"', 't', $1, 'd', false)`,
    [at + 1],
  );
  await log.flush();
  const rows = await database.query<{ body: Buffer }>(`SELECT body FROM ${schema}.outcome_log`);
  const lines = rows.flatMap(({ body }) => unpackLines(body));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('deleted-user');
});

it('new events are taken at once, also when the clock of the server was set back', async () => {
  const place = await storeOf();
  const { store } = await serviceStore(place);
  await put(store, ['m1']);
  await setClockBack(place);
  expect((await laneOf(store).taken()).stamp.messageId).toBe('m1');
});

it('a batch of retries is due when all of it can be sent', async () => {
  const receiver = await startReceiver(() => ({ status: 500 }));
  let turn = 0;
  const delivery = { retryDelaysMs: [60_000], random: () => (turn++ % 10) / 10 };
  const [only] = await sharing(await storeOf(), simple(receiver.url), 1, { delivery });
  await only!.send(Array.from({ length: 10 }, (_, i) => track(i)));
  const { database, schema } = only!.shared;
  const rows = await until(
    () =>
      database.query<{ due_at: number; size: number; body: Buffer }>(
        `SELECT due_at, size, body FROM ${schema}.retry_batch`,
      ),
    (found) => found.reduce((sum, { size }) => sum + size, 0) === 10,
  );
  expect(rows.some(({ size }) => size > 1)).toBe(true);
  for (const { due_at: dueAt, body } of rows) {
    expect(dueAt).toBe(Math.max(...unpackBatch(body).map((retry) => retry.dueAt)));
  }
});
