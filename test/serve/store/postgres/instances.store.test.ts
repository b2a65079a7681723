import { describe, expect, it } from 'vitest';
import { PostgresServer, sharedPostgres } from '../../../helpers/postgres.js';
import { startReceiver, type Receiver } from '../../../helpers/receiver.js';
import { testStore } from '../../../helpers/shared-store.js';
import { destination, json, simple, source, track, until } from '../../serving.js';
import { countOf, isDrained, rowsOf, sharing } from './sharing.js';

const storeOf = sharedPostgres();

const batchOf = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, i) => track(from + i));

function idsOf(receiver: Receiver): string[] {
  return receiver.json().map(({ messageId }) => messageId as string);
}

describe('instances that share a store', () => {
  it('answer their API with 503 and the reason while it is away', async () => {
    const server = await PostgresServer.start();
    const at = { server, url: server.url, schema: 'evfwd' };
    const [one] = await sharing(at, simple('http://127.0.0.1:9/'), 1);
    await server.stop();
    for (const path of ['dead-letters', 'rejected', 'search?search=u1']) {
      const response = await fetch(`${one!.url}/_evfwd/api/${path}`);
      expect(response.status, path).toBe(503);
      expect(await response.json()).toMatchObject({
        error: { message: expect.stringContaining('cannot be reached') as unknown },
      });
    }
    const change = json('PUT', { enabled: false });
    const { error } = (await one!.api('destinations/crm', change)) as { error: Error };
    expect(error.message).toMatch(
      /^the switch cannot be stored: postgres:\S+ cannot be reached \([^;()]+\); try again later$/,
    );
  });

  it('deliver each event once, whichever of them got it', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), simple(receiver.url));
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => all[i % 2]!.send(batchOf(i * 50, 50))),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await receiver.atLeast(500);
    await until(() => isDrained(all[0]!), Boolean);
    expect(new Set(idsOf(receiver)).size).toBe(500);
    expect(receiver.requests).toHaveLength(500);
    expect(await countOf(all[0]!, 'delivered')).toBe(500);
    expect(await countOf(all[0]!, 'received')).toBe(500);
  });

  it('deliver an event once that both of them get at the same time', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), simple(receiver.url));
    await Promise.all(all.flatMap(({ send }) => [send(batchOf(0, 40)), send(batchOf(0, 40))]));
    await receiver.atLeast(40);
    await until(() => isDrained(all[0]!), Boolean);
    expect(receiver.requests).toHaveLength(40);
    expect(await countOf(all[0]!, 'repeated')).toBe(120);
  });

  it('keep a block until the last of its destinations has it', async () => {
    const [one, other] = [await startReceiver(), await startReceiver()];
    const routing = {
      sources: [source('web', { destinations: ['crm', 'ads'] })],
      destinations: [destination('crm', one.url), destination('ads', other.url)],
    };
    const all = await sharing(await storeOf(), routing);
    await all[0]!.send(batchOf(0, 300));
    await Promise.all([one.atLeast(300), other.atLeast(300)]);
    await until(() => isDrained(all[0]!), Boolean);
    expect([one.requests.length, other.requests.length]).toEqual([300, 300]);
  });

  it('make dead letters that each of them can send again', async () => {
    let status = 404;
    const receiver = await startReceiver(() => ({ status }));
    const all = await sharing(await storeOf(), simple(receiver.url));
    await all[0]!.send(batchOf(0, 5));
    const listed = await until(
      () => all[1]!.api('dead-letters'),
      ({ rows }) => rows.length === 5,
    );
    expect(listed.rows[0]).toMatchObject({ state: 'failed', destination: 'crm', status: 404 });
    status = 200;
    const result = await all[1]!.api('redeliveries', json('POST', { ids: [listed.rows[0].id] }));
    expect(result).toEqual({ redelivered: 1 });
    await receiver.atLeast(6);
    const rest = await all[0]!.api('redeliveries', json('POST', { destination: 'crm' }));
    expect(rest).toEqual({ redelivered: 4 });
    await receiver.atLeast(10);
    await until(() => isDrained(all[0]!), Boolean);
    expect(await rowsOf(all[0]!, 'dead_letter')).toEqual([]);
    expect(receiver.requests).toHaveLength(10);
  });

  it('send dead letters again that stand beside one that cannot be read', async () => {
    let status = 404;
    const receiver = await startReceiver(() => ({ status }));
    const [only] = await sharing(await storeOf(), simple(receiver.url), 1);
    await only!.send(batchOf(0, 3));
    await until(
      () => only!.api('dead-letters'),
      ({ rows }) => rows.length === 3,
    );
    const { database, schema } = only!.shared;
    await database.query(
      `UPDATE ${schema}.dead_letter SET bytes = 'damaged' WHERE message_id = '"m1"'`,
    );
    status = 200;
    const result = await only!.api('redeliveries', json('POST', { destination: 'crm' }));
    expect(result).toEqual({ redelivered: 2 });
    await receiver.atLeast(5);
    expect(await rowsOf(only!, 'dead_letter')).toMatchObject([{ message_id: '"m1"' }]);
  });

  it('list what waits for a retry', async () => {
    const receiver = await startReceiver(() => ({ status: 500 }));
    const [only] = await sharing(await storeOf(), simple(receiver.url), 1);
    await only!.send(batchOf(0, 4));
    const { rows } = await until(
      () => only!.api('waiting'),
      ({ rows }) => rows.length === 4,
    );
    const ids = rows.map(({ messageId }: { messageId: string }) => messageId);
    expect(new Set(ids)).toEqual(new Set(['m0', 'm1', 'm2', 'm3']));
  });

  it('retry an event by the schedule, with all its attempts counted', async () => {
    const receiver = await startReceiver((_request, index) => ({ status: index < 2 ? 500 : 200 }));
    const delivery = { retryDelaysMs: [100, 200], random: () => 0.5 };
    const all = await sharing(await storeOf(), simple(receiver.url), 2, { delivery });
    await all[0]!.send(batchOf(0, 1));
    await receiver.atLeast(3);
    const found = await until(
      () => all[1]!.api('search?search=m0'),
      ({ events }) => events[0]?.state === 'delivered',
    );
    expect(found.events[0]).toMatchObject({ messageId: 'm0', status: 200 });
    const attempts = all.flatMap(({ logged }) =>
      logged.filter((line) => line.includes('"attempt":3')),
    );
    expect(attempts).toHaveLength(1);
    expect(await until(() => isDrained(all[0]!), Boolean)).toBe(true);
  });

  it('obey a switch that one of them was told', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), simple(receiver.url));
    await all[0]!.api('destinations/crm', json('PUT', { enabled: false }));
    await until(
      () => all[1]!.api('overview'),
      ({ destinations }) => destinations[0].enabled === false,
    );
    await all[1]!.send(batchOf(10, 2));
    await all[0]!.api('destinations/crm', json('PUT', { enabled: true }));
    await until(
      () => all[1]!.api('overview'),
      ({ destinations }) => destinations[0].enabled === true,
    );
    await all[1]!.send(batchOf(0, 3));
    await receiver.atLeast(5);
    expect(receiver.requests).toHaveLength(5);
  });

  it('know of each other, and when their configurations differ', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), simple(receiver.url));
    const hashesAt = async (): Promise<string[]> => {
      const { instances } = await all[0]!.api('instances');
      return instances.map(({ configHash }: { configHash: string }) => configHash);
    };
    const same = await until(hashesAt, (hashes) => hashes.length === 2);
    expect(same[0]).toBe(same[1]);
    await all[1]!.reroute(simple(`${receiver.url}?other`));
    const different = await until(hashesAt, ([one, other]) => one !== other);
    expect(different).toContain(same[0]);
  });

  it('list and find what is anywhere in the store', async () => {
    const receiver = await startReceiver(() => undefined);
    const all = await sharing(await storeOf(), simple(receiver.url));
    await all[0]!.send([...batchOf(0, 2), { type: 'track', event: 'no user' }]);
    for (const { api } of all) {
      const found = await until(
        () => api('search?search=U1'),
        ({ events }) => events.length === 1,
      );
      expect(found.events[0]).toMatchObject({ messageId: 'm1', state: 'queued' });
      const rejected = await until(
        () => api('rejected'),
        ({ total }) => total === 1,
      );
      expect(rejected.rows).toMatchObject([{ code: 'missing_user' }]);
    }
  });

  it('delete a user from the log of all of them', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), simple(receiver.url));
    await all[0]!.send(batchOf(0, 2));
    await receiver.atLeast(2);
    await until(
      () => all[1]!.api('search?search=u1'),
      ({ events }) => events[0]?.state === 'delivered',
    );
    await all[1]!.api('deletions', json('POST', { source: 'web', userId: 'u1' }));
    await receiver.atLeast(3);
    const deletions = await all[0]!.api('deletions');
    expect(deletions.rows).toMatchObject([{ source: 'web' }]);
    await until(
      () => rowsOf(all[0]!, 'deletion'),
      ([row]) => row?.in_log === false,
    );
    await until(() => isDrained(all[0]!), Boolean);
    const found = await all[0]!.api('search?search=u1');
    expect(found.events.filter(({ type }: { type: string }) => type !== 'delete')).toEqual([]);
  });

  it('log nothing of a user who was deleted at another one', async () => {
    const at = await storeOf();
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const receiver = await startReceiver(({ body }) =>
      body.includes('"delete"') ? {} : opened.then(() => ({})),
    );
    const [first] = await sharing(at, simple(receiver.url), 1);
    await first!.send(batchOf(1, 1));
    await receiver.atLeast(1);
    const [second] = await sharing(at, simple(receiver.url), 1);
    await second!.api('deletions', json('POST', { source: 'web', userId: 'u1' }));
    await until(
      () => rowsOf(second!, 'deletion'),
      ([row]) => row?.in_log === false,
    );
    open();
    await until(() => isDrained(second!), Boolean);
    const { events } = await until(
      () => second!.api('search?search=m1'),
      ({ events }) => events.length > 0,
    );
    expect(events).toMatchObject([{ state: 'delivered', messageId: 'm1', user: null }]);
  });

  it('leave what one of them has not sent to the others when it stops', async () => {
    let isOpen = false;
    const waiting: (() => void)[] = [];
    const receiver = await startReceiver(async () => {
      if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve));
      return {};
    });
    const all = await sharing(await storeOf(), simple(receiver.url), 1, {
      delivery: { concurrency: 2 },
    });
    const first = all[0]!;
    await first.send(batchOf(0, 100));
    await receiver.atLeast(2);
    const stopped = first.stop();
    isOpen = true;
    for (const resolve of waiting) resolve();
    expect(await stopped).toBe(98);
    const [second] = await sharing(
      { ...(await storeOf()), schema: first.shared.schema },
      simple(receiver.url),
      1,
    );
    await receiver.atLeast(100);
    await until(() => isDrained(second!), Boolean);
    expect(receiver.requests).toHaveLength(100);
  });

  it('set aside a block that is damaged, and send the others', async () => {
    const at = await storeOf();
    const silent = await startReceiver(() => undefined);
    const [first] = await sharing(at, simple(silent.url), 1);
    for (const from of [0, 10, 20]) await first!.send(batchOf(from, 10));
    await silent.atLeast(1);
    await first!.stop();
    const { store } = await testStore(at);
    await store.database.query(
      `UPDATE ${at.schema}.event_block SET body = 'damaged' WHERE id = (
         SELECT block FROM ${at.schema}.queued_block ORDER BY block OFFSET 1 LIMIT 1)`,
    );
    const receiver = await startReceiver();
    const [second] = await sharing(at, simple(receiver.url), 1);
    await receiver.atLeast(20);
    const overview = await until(
      () => second!.api('overview'),
      ({ damagedBlocks }) => damagedBlocks === 1,
    );
    expect(overview.damagedEvents).toBe(10);
    expect(new Set(idsOf(receiver)).size).toBe(20);
  });

  it('give up what has waited for seven days, also for a destination that is off', async () => {
    const at = await storeOf();
    const silent = await startReceiver(() => undefined);
    const [first] = await sharing(at, simple(silent.url), 1, { delivery: { concurrency: 1 } });
    await first!.send(batchOf(0, 3));
    await silent.atLeast(1);
    await first!.stop();
    const { store } = await testStore(at);
    for (const table of ['event_block', 'queued_block']) {
      await store.database.query(
        `UPDATE ${at.schema}.${table} SET queued_at = queued_at - 8 * 86400000::float8`,
      );
    }
    const [second] = await sharing(at, simple(silent.url, { isEnabled: false }), 1);
    // The first one was in flight, and waits for a retry.
    const { rows } = await until(
      () => second!.api('dead-letters'),
      ({ rows }) => rows.length === 2,
    );
    expect(new Set(rows.map(({ code }: { code: string }) => code))).toEqual(new Set(['expired']));
    const { events } = await until(
      () => second!.api(`search?search=${rows[0].messageId}`),
      (found) => found.events.length > 0,
    );
    expect(events).toMatchObject([{ state: 'failed', code: 'expired' }]);
    const { destinations } = await second!.api('overview');
    expect(destinations[0].lastFailure).toBeNull();
    expect(second!.logged.filter((line) => line.includes('expired'))).not.toEqual([]);
  });

  it('have no secret in their tables', async () => {
    const receiver = await startReceiver((_request, index) => ({ status: index % 2 ? 200 : 404 }));
    const routing = simple(`${receiver.url}?token=t0p-secret-query`, {
      endpoints: [
        {
          url: `${receiver.url}?token=t0p-secret-query`,
          headers: { 'x-api-key': 't0p-secret-header' },
        },
      ],
    });
    const [only] = await sharing(
      await storeOf(),
      { ...routing, sources: [source('web', { writeKey: 't0p-secret-key' })] },
      1,
    );
    await only!.send(batchOf(0, 4), 't0p-secret-key');
    await receiver.atLeast(4);
    await until(() => isDrained(only!), Boolean);
    const { database, schema } = only!.shared;
    const tables = await database.query<{ name: string }>(
      `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name
       FROM information_schema.tables WHERE table_schema IN ($1::text, $1::text || '_jobs')`,
      [schema],
    );
    expect(tables.length).toBeGreaterThan(15);
    for (const { name } of tables) {
      const [found] = await database.query<{ text: string | null }>(
        `SELECT string_agg(t::text, ' ') AS text FROM ${name} AS t`,
      );
      expect(found!.text ?? '').not.toContain('t0p-secret');
    }
  });
});
