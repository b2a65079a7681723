import { describe, expect, it, vi } from 'vitest';
import type { KeepSettings } from '../../../../src/serve/kept/settings.js';
import type { ReadEvent } from '../../../../src/serve/kept/block.js';
import { keepsNothing } from '../../../../src/serve/kept/settings.js';
import { readKeptBlocks } from '../../../../src/serve/store/postgres/kept-reader.js';
import { Names } from '../../../../src/serve/store/postgres/names.js';
import type { Destination, Routing } from '../../../../src/serve/types.js';
import { inProcess } from '../../../helpers/in-process.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { testStore } from '../../../helpers/shared-store.js';
import { startReceiver, type Receiver } from '../../../helpers/receiver.js';
import { json, simple, source, track, until } from '../../serving.js';
import { rowsOf, sharing, type SharingInstance } from './sharing.js';

const storeOf = sharedPostgres();
const dayMs = 86_400_000;
const keepFor = (retentionMs: number, more: Partial<KeepSettings> = {}): KeepSettings => ({
  ...{ retentionMs, maxBytes: 1024 ** 3, ofDestinations: new Map() },
  ...more,
});

const keeping = (
  receiver: Receiver,
  keep = keepFor(dayMs),
  more: Partial<Destination> = {},
): Routing => ({ ...simple(receiver.url, more), keep });

const batchOf = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, i) => track(from + i));

async function keptBy({ shared }: SharingInstance): Promise<ReadEvent[]> {
  const { database: queries, schema } = shared;
  const names = new Names(queries, schema);
  const events: ReadEvent[] = [];
  for await (const block of readKeptBlocks({ queries, schema }, names))
    events.push(...block.events);
  return events;
}

const idsBy = async (at: SharingInstance): Promise<string[]> =>
  (await keptBy(at)).map(({ stamp }) => stamp.messageId).sort();

const nothingWaits = (at: SharingInstance) =>
  until(
    () => rowsOf(at, 'queued_block'),
    (rows) => rows.length === 0,
  );

async function keptTotal({ shared }: SharingInstance): Promise<number> {
  const [row] = await shared.database.query<{ n: number }>(
    `SELECT ((SELECT coalesce(sum(n), 0) FROM ${shared.schema}.count WHERE what = 'kept_bytes')
      + (SELECT coalesce(sum((c->>3)::bigint), 0) FROM ${shared.schema}.count_change, jsonb_array_elements(changes) AS c
         WHERE c->>2 = 'kept_bytes'))::float8 AS n`,
  );
  return row!.n;
}

describe('events that a shared store keeps', () => {
  it('stay when they are delivered, whichever instance got them, each once', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), keeping(receiver));
    await Promise.all(all.map(({ send }, i) => send(batchOf(i * 200, 200))));
    await all[0]!.send(batchOf(0, 10));
    await receiver.atLeast(400);
    await nothingWaits(all[0]!);
    const kept = await keptBy(all[1]!);
    expect(new Set(kept.map(({ stamp }) => stamp.messageId)).size).toBe(400);
    expect(kept).toHaveLength(400);
    expect(kept[0]).toMatchObject({ source: 'web', destinations: ['crm'] });
    const blocks = await rowsOf(all[0]!, 'event_block');
    const bytes = blocks.reduce(
      (sum, { body, users }) => sum + (body as Buffer).length + (users as Buffer).length + 120,
      0,
    );
    expect(await keptTotal(all[0]!)).toBe(bytes);
  });

  it('are those of no destination, too, but no deletions, dead letters that are sent again, or replays', async () => {
    let status = 404;
    const receiver = await startReceiver(() => ({ status }));
    const routing = keeping(receiver);
    const [at] = await sharing(
      await storeOf(),
      { ...routing, sources: [...routing.sources, source('none', { destinations: [] })] },
      1,
    );
    await at!.send([track(1)]);
    await at!.send([track(2)], 'k-none');
    await until(
      () => at!.api('dead-letters'),
      ({ total }) => total === 1,
    );
    status = 200;
    await at!.api('redeliveries', json('POST', { destination: 'crm' }));
    await receiver.atLeast(2);
    await nothingWaits(at!);
    await at!.api('replays', json('POST', { destination: 'crm' }));
    await receiver.atLeast(3);
    await at!.api('deletions', json('POST', { userId: 'u9' }));
    await receiver.atLeast(4);
    await nothingWaits(at!);
    expect(await idsBy(at!)).toEqual(['m1', 'm2']);
    expect(await rowsOf(at!, 'event_block')).toHaveLength(2);
  });

  it('are none with a retention of 0, of all or of their destination', async () => {
    const receiver = await startReceiver();
    const [at] = await sharing(await storeOf(), keeping(receiver, keepsNothing), 1);
    await at!.send([track(1)]);
    await receiver.atLeast(1);
    await nothingWaits(at!);
    expect(await rowsOf(at!, 'event_block')).toEqual([]);
    await at!.reroute(keeping(receiver, keepFor(dayMs, { ofDestinations: new Map([['crm', 0]]) })));
    await at!.send([track(2)]);
    await receiver.atLeast(2);
    await nothingWaits(at!);
    expect(await rowsOf(at!, 'event_block')).toEqual([]);
  });

  it('are deleted when their time has come', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), keeping(receiver));
    await all[0]!.send([track(1)]);
    await receiver.atLeast(1);
    await nothingWaits(all[0]!);
    const { database, schema } = all[0]!.shared;
    await database.query(`UPDATE ${schema}.event_block SET queued_at = queued_at - $1`, [dayMs]);
    await until(
      () => rowsOf(all[0]!, 'event_block'),
      (rows) => rows.length === 0,
    );
    expect(await keptTotal(all[0]!)).toBe(0);
  });

  it('give way to newer ones above maxDisk, the oldest first, and are counted', async () => {
    const receiver = await startReceiver();
    const small = keepFor(dayMs, { maxBytes: 1_000 });
    const all = await sharing(await storeOf(), keeping(receiver, small));
    for (let n = 0; n < 12; n++) await all[n % 2]!.send([track(n)]);
    await receiver.atLeast(12);
    await nothingWaits(all[0]!);
    await until(
      () => keptTotal(all[0]!),
      (total) => total <= 1_000,
    );
    const left = await idsBy(all[0]!);
    expect(left.length).toBeGreaterThan(0);
    expect(left).toContain('m11');
    expect(left).not.toContain('m0');
    const dropped = async (): Promise<number> => {
      const texts = await Promise.all(
        all.map(async ({ url }) => (await fetch(`${url}/_evfwd/metrics`)).text()),
      );
      return texts.reduce(
        (sum, text) => sum + Number(/^evfwd_kept_events_dropped_total (\d+)/m.exec(text)?.[1] ?? 0),
        0,
      );
    };
    expect(await dropped()).toBe(12 - left.length);
  });

  it('that wait are neither deleted nor dropped before they are delivered', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const receiver = await startReceiver(async () => {
      await answered;
      return {};
    });
    const tiny = keepFor(1, { maxBytes: 1 });
    const [at] = await sharing(await storeOf(), keeping(receiver, tiny), 1);
    await at!.send([track(1)]);
    await receiver.atLeast(1);
    const { database, schema } = at!.shared;
    // More are dropped meanwhile: those of no destination.
    await database.query(
      `INSERT INTO ${schema}.event_block (id, queued_at, size, destinations, body, kept_ms, kept_for, users)
       SELECT nextval('${schema}.block_id'), 0, 1, 0, '', 1, '{}', ''`,
    );
    await until(
      () => rowsOf(at!, 'event_block'),
      (rows) => rows.length === 1,
    );
    expect(await rowsOf(at!, 'queued_block')).toHaveLength(1);
    answer();
    await until(
      () => rowsOf(at!, 'event_block'),
      (rows) => rows.length === 0,
    );
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('a deletion', () => {
  const removals = async (at: SharingInstance, id: string): Promise<void> => {
    await until(
      () => keptBy(at),
      (events) => !events.some(({ event }) => event.bytes.includes(id)),
    );
  };

  it('removes the kept events of its user that any instance got, and no others', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), keeping(receiver));
    await Promise.all(all.map(({ send }, i) => send(batchOf(i * 20, 20))));
    await all[0]!.send([
      track(100, { userId: 'gone' }),
      track(101),
      track(102, { userId: 'gone' }),
    ]);
    await receiver.atLeast(43);
    await nothingWaits(all[0]!);
    await all[1]!.api('deletions', json('POST', { userId: 'gone' }));
    await removals(all[0]!, 'gone');
    const left = await idsBy(all[0]!);
    expect(left).toHaveLength(41);
    expect(left).toContain('m101');
    // What comes later is kept.
    await all[1]!.send([track(103, { userId: 'gone' })]);
    await receiver.atLeast(45);
    expect(await idsBy(all[0]!)).toContain('m103');
  });

  it('removes what waits once it is delivered', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const receiver = await startReceiver(async () => {
      await answered;
      return {};
    });
    const [at] = await sharing(await storeOf(), keeping(receiver), 1);
    await at!.send([track(1, { userId: 'gone' }), track(2)]);
    await receiver.atLeast(2);
    await at!.api('deletions', json('POST', { userId: 'gone' }));
    await until(
      () => rowsOf(at!, 'kept_removal'),
      (rows) => rows.length === 1,
    );
    expect(await idsBy(at!)).toEqual(['m1', 'm2']);
    answer();
    await removals(at!, 'gone');
    expect(await idsBy(at!)).toEqual(['m2']);
    await until(
      () => rowsOf(at!, 'kept_removal'),
      (rows) => rows.length === 0,
    );
    const bodies = receiver.json() as { messageId: string; type: string }[];
    expect(
      bodies
        .filter(({ type }) => type !== 'delete')
        .map(({ messageId }) => messageId)
        .sort(),
    ).toEqual(['m1', 'm2']);
  });

  it.each([
    // The next ids of blocks take no id of a transaction.
    ['without an id to recognize', { messageId: undefined }, [], ['event_block']],
    ['by its id', { messageId: 'm1' }, ['crm'], ['seen_0', 'seen_1']],
  ])('removes what another instance is storing at that moment, %s', async (...given) => {
    const [, more, destinations, tables] = given;
    const receiver = await startReceiver();
    const routing = keeping(receiver);
    const all = await sharing(await storeOf(), {
      ...routing,
      sources: [source('web', { destinations })],
    });
    const { database, schema } = all[0]!.shared;
    await database.query(`SELECT nextval('${schema}.block_id')`);
    let release = (): void => undefined;
    const locked = new Promise<void>((resolve) => (release = resolve));
    let hasLocked = (): void => undefined;
    const isLocked = new Promise<void>((resolve) => (hasLocked = resolve));
    // Whoever stores an event waits for this.
    const holding = database.transaction(async (tx) => {
      const locks = tables.map((table) => `${schema}.${table}`).join();
      await tx.query(`LOCK TABLE ${locks} IN SHARE MODE`);
      hasLocked();
      await locked;
    });
    await isLocked;
    const sending = all[0]!.send([track(1, { userId: 'gone', ...more })]);
    await until(
      () =>
        database.query(
          `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`,
          [`%INSERT INTO ${schema}.${tables[0]!.slice(0, 5)}%`],
        ),
      (rows) => rows.length > 0,
    );
    await database.query(
      `INSERT INTO ${schema}.deletion (source, user_id, timestamp, received_at, message_id)
       SELECT id, '"gone"', '', $1, '' FROM ${schema}.name WHERE kind = 'source'`,
      [database.now() + 1],
    );
    const { kept } = await storeBehind(all[1]!);
    const queries = vi.spyOn(all[1]!.shared.database, 'query');
    const timesAsked = (): number =>
      queries.mock.calls.filter(([text]) => text.includes('pg_snapshot_xmin')).length;
    const removing = kept.remove(
      [{ userId: '"gone"', receivedAt: database.now() + 1 }],
      () => true,
    );
    // It has looked before that is stored, and goes on waiting.
    const isWaiting = until(
      () => Promise.resolve(timesAsked()),
      (times) => times > 2,
    );
    await Promise.race([removing, isWaiting]);
    release();
    await holding;
    await sending;
    expect(await removing).toBe(true);
    expect((await keptBy(all[0]!)).map(({ event }) => event.bytes.toString())).toEqual([]);
    // One that waits for nobody is there without its text; the other one is not kept.
    await until(
      () => rowsOf(all[0]!, 'event_block'),
      (rows) => rows.length === 1 - destinations.length,
    );
  });
});

/** The kept events as another instance sees them. */
async function storeBehind(instance: SharingInstance) {
  const { PostgresStore } = await import('../../../../src/serve/store/postgres/postgres-store.js');
  const { serverClock } = await import('../../../../src/serve/store/postgres/open-state.js');
  const store = new PostgresStore(instance.shared, { clock: serverClock(instance.shared) });
  await store.parts.names.refresh();
  return store;
}

describe('evfwd export with a store', () => {
  it('writes what instances keep, by the same filters', async () => {
    const receiver = await startReceiver();
    const at = await storeOf();
    const all = await sharing(at, keeping(receiver));
    await all[0]!.send(batchOf(0, 3));
    await all[1]!.send([track(3, { userId: 'u1' })]);
    const args = ['export', '--store', at.url, '--store-schema', at.schema];
    const whole = await inProcess(args);
    expect([whole.code, whole.stderr]).toEqual([0, 'exported 4 events\n']);
    const lines = whole.stdout.trimEnd().split('\n');
    const ids = (text: string[]): string[] =>
      text.map((line) => (JSON.parse(line) as { messageId: string }).messageId).sort();
    expect(ids(lines)).toEqual(['m0', 'm1', 'm2', 'm3']);
    const some = await inProcess([...args, '--users', 'u1', '--since', '1h']);
    expect(ids(some.stdout.trimEnd().split('\n'))).toEqual(['m1', 'm3']);
    const none = await inProcess([...args, '--until', '2020-01-01']);
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'exported 0 events\n']);
  });

  it('refuses a store with tables of another version, or with none, and leaves it as it is', async () => {
    const at = await storeOf();
    const run = (schema: string) =>
      inProcess(['export', '--store', at.url, '--store-schema', schema]);
    const none = await run(at.schema);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain(`there is no schema ${at.schema} of evfwd`);
    expect(await at.server.sql(`SELECT to_regnamespace('${at.schema}')::text AS name`)).toEqual([
      { name: null },
    ]);
    const { store } = await testStore(at);
    const version = `SELECT version FROM ${at.schema}.schema_version`;
    await store.database.query(`UPDATE ${at.schema}.schema_version SET version = version - 1`);
    const before = await store.database.query(version);
    const older = await run(at.schema);
    expect(older.code).toBe(2);
    expect(older.stderr).toMatch(/the schema \S+ has version \d+, and this evfwd reads \d+; use/);
    expect(await store.database.query(version)).toEqual(before);
  });
});
