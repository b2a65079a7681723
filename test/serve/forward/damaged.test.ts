import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/storage/sqlite.js';
import { startRawServer, reply, type RawServer } from '../../helpers/raw-server.js';
import { batchOf, destinationOf, ids } from '../batches.js';
import { scene } from './scene.js';
import { expiryStart } from '../../../src/serve/store/service-store.js';

const day = 24 * 3_600_000;

async function change(folder: string, sql: string): Promise<void> {
  const database = await openDatabase(join(folder, 'serve.db'));
  database.exec(sql);
  database.close();
}

/** Stores blocks of events that are not attempted, and ends. */
async function stored(server: RawServer, blocks: number, { size = 4, names = ['crm'] } = {}) {
  const destinations = names.map((name) => destinationOf(server.url, { name }));
  const before = await scene(destinations, { starts: false });
  for (let i = 0; i < blocks; i++) await before.take(ids(size, i * size));
  await before.stop();
  return { destinations, folder: before.folder, clock: before.clock };
}

const arrived = (server: RawServer, from = 0): string[] =>
  server.requests
    .slice(from)
    .map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId)
    .sort();

const all = {
  text: 'm',
  isWanted: () => true,
  limit: 99,
  mayContinue: () => Promise.resolve(true),
};

/** The second of the blocks of four events. */
const second = 'WHERE last_id = 8';
const entries = (sql: string): string => `UPDATE event_block SET entries = ${sql} ${second}`;
const bytes = (sql: string): string => `UPDATE event_block SET bytes = ${sql} ${second}`;

describe('a block that cannot be read', () => {
  it.each([
    ['truncated entries', entries('substr(entries, 1, 20)')],
    ['fewer entries', entries("'[]'")],
    ['an object for its entries', entries("'{}'")],
    ['null for its entries', entries("'null'")],
    ['bytes for its entries', entries("x'00ff'")],
    ['a length below 0', entries("'[[-1' || substr(entries, instr(entries, ','))")],
    ['an id that is no text', entries(`replace(entries, '"m5"', '5')`)],
    ['zeros for its bytes', bytes('zeroblob(10)')],
    ['zeros of its length', bytes('zeroblob(length(bytes))')],
    ['truncated bytes', bytes('substr(bytes, 1, 99)')],
    ['one byte more', bytes("CAST(bytes || 'x' AS BLOB)")],
    ['a changed type', bytes(`CAST(replace(bytes, '"track"', '"trick"') AS BLOB)`)],
    ['a text for its bytes', bytes("'x'")],
    ['a text for its time', `UPDATE event_block SET queued_at = 'x' ${second}`],
    ['no row', `DELETE FROM event_block ${second}`],
    ['too many bits', `UPDATE queued_block SET waiting_bits = x'ffff' ${second}`],
    ['fewer bits than it counts', `UPDATE queued_block SET waiting_bits = x'03' ${second}`],
  ])('because it has %s is set aside, and the others are delivered', async (_, damage) => {
    const server = await startRawServer();
    const { destinations, folder, clock } = await stored(server, 3);
    await change(folder, damage);
    const first = await scene(destinations, { folder, clock });
    await first.take(['new']);
    await first.endings(9);
    first.store.commit();
    expect(arrived(server)).toEqual([...ids(4), ...ids(4, 8), 'new'].sort());
    expect(first.damaged).toEqual([['crm', 4]]);
    expect(first.forwarder.destinations()).toMatchObject([{ waiting: 0, inFlight: 0 }]);
    expect([first.store.failure, first.failures]).toEqual([undefined, []]);
    await first.stop();
    const { store, damaged, take, endings } = await scene(destinations, { folder, clock });
    await take(['newer']);
    await endings(1);
    expect([damaged, store.setAside]).toEqual([[], { blocks: 1, events: 4 }]);
  });

  it('since the file is damaged there is set aside', async () => {
    const server = await startRawServer();
    const { destinations, folder, clock } = await stored(server, 3, { size: 100 });
    const path = join(folder, 'serve.db');
    const file = readFileSync(path);
    // A page that continues a row begins with the number of the next page.
    const page = 4096 * Math.floor(file.indexOf('"messageId":"m130"') / 4096);
    file.writeUInt32BE(0x7fff_fff0, page);
    writeFileSync(path, file);
    const { endings, store, failures } = await scene(destinations, { folder, clock });
    await endings(200);
    store.commit();
    expect(arrived(server)).toEqual([...ids(100), ...ids(100, 200)].sort());
    expect(store.setAside).toEqual({ blocks: 1, events: 100 });
    expect([store.failure, failures]).toEqual([undefined, []]);
  });

  it('is one of several, and of two destinations: each of them goes on', async () => {
    const server = await startRawServer();
    const { destinations, folder, clock } = await stored(server, 4, { names: ['crm', 'erp'] });
    await change(folder, 'UPDATE event_block SET bytes = zeroblob(9) WHERE last_id IN (4, 12)');
    const { forwarder, endings, store, damaged } = await scene(destinations, { folder, clock });
    await endings(2 * 8);
    store.commit();
    expect(forwarder.destinations()).toMatchObject([{ waiting: 0 }, { waiting: 0 }]);
    expect(store.setAside).toEqual({ blocks: 2, events: 16 });
    expect(damaged.sort()).toEqual([
      ['crm', 8],
      ['erp', 8],
    ]);
  });

  it('is kept although another destination has all of its events', async () => {
    const server = await startRawServer();
    const { destinations, folder, clock } = await stored(server, 1, { names: ['crm', 'erp'] });
    await change(folder, 'UPDATE queued_block SET waiting_bits = 5 WHERE destination = 2');
    const { store, endings, stop } = await scene(destinations, { folder, clock });
    await endings(4);
    store.commit();
    expect([store.setAside.blocks, store.length('erp').waiting]).toEqual([1, 0]);
    await stop();
    const database = await openDatabase(store.name);
    const rows = database.prepare('SELECT length(bytes) AS n FROM event_block').all();
    database.close();
    expect(rows.map(({ n }) => Number(n) > 200)).toEqual([true]);
  });

  it('waits as the others do until it is read', async () => {
    const server = await startRawServer();
    const { destinations, folder, clock } = await stored(server, 3);
    await change(folder, bytes('zeroblob(10)'));
    const { forwarder, store, endings } = await scene(destinations, {
      folder,
      clock,
      starts: false,
    });
    store.commit();
    expect(forwarder.destinations()).toMatchObject([{ waiting: 12 }]);
    expect(store.setAside).toEqual({ blocks: 0, events: 0 });
    forwarder.start();
    await endings(8);
    store.commit();
    expect(forwarder.destinations()).toMatchObject([{ waiting: 0 }]);
    expect(store.setAside).toEqual({ blocks: 1, events: 4 });
  });

  it('of a destination that is off is set aside when old events expire, and the others expire', async () => {
    const server = await startRawServer();
    const { destinations, folder, clock } = await stored(server, 3);
    await change(folder, bytes('zeroblob(10)'));
    clock.advance(8 * day);
    const off = destinations.map((one) => ({ ...one, isEnabled: false }));
    const at = await scene(off, { folder, clock });
    at.store.commit();
    await at.endings(8);
    at.store.commit();
    expect(at.store.views.deadLetterCount('crm')).toBe(8);
    expect([at.damaged, at.failures, at.store.failure]).toEqual([[['crm', 4]], [], undefined]);
    expect(at.store.waitingFor()).toEqual([]);
  });

  it('is reported once if the commit that sets it aside fails at first', async () => {
    const server = await startRawServer();
    const { destinations, folder, clock } = await stored(server, 2);
    await change(folder, 'UPDATE event_block SET bytes = zeroblob(10) WHERE last_id = 4');
    const { store, damaged, routing } = await scene(destinations, {
      ...{ folder, clock, starts: false },
    });
    expect(store.notAttempted('crm', 0, 9)).toHaveLength(4);
    const unused = () => ({ loadedUpTo: 0, keepsRetries: true });
    const expiry = { destination: 'crm', unused, from: expiryStart, limit: 9 };
    const expired = store.expire({ ...expiry, onExpired: () => undefined });
    // Without a message it cannot be written, after what is set aside.
    const rejected = { code: 'c', message: null as unknown as string, bytes: Buffer.alloc(0) };
    const broken = batchOf([], routing.sources[0], [{ ...rejected, isJson: false }]);
    const failed = store.accept(broken, [], () => undefined);
    store.commit();
    await expect(Promise.all([expired, failed])).rejects.toThrow(folder);
    await Promise.allSettled([expired, failed]);
    // By then it was written without the rest of its group.
    for (let commit = 0; commit < 2; commit++) {
      expect([damaged, store.length('crm').waiting]).toEqual([[['crm', 4]], 4]);
      store.commit();
    }
  });

  it('is skipped by a search, which finds the others', async () => {
    const server = await startRawServer();
    const { destinations, folder, clock } = await stored(server, 3);
    await change(folder, entries('substr(entries, 1, 99)'));
    const { store, damaged } = await scene(destinations, { folder, clock, starts: false });
    for (let i = 0; i < 2; i++) {
      expect((await store.finder.notAttempted(all)).items).toHaveLength(8);
      store.commit();
    }
    expect(damaged).toEqual([['crm', 4]]);
  });
});

/** Stores three events that wait for a retry, and ends. */
async function retrying(server: RawServer) {
  const destinations = [destinationOf(server.url)];
  const before = await scene(destinations);
  await before.take(ids(3));
  await before.endings(3);
  await before.stop();
  return { destinations, folder: before.folder, clock: before.clock };
}

describe('a retry that cannot be read', () => {
  const damages = [
    ['no states', "UPDATE retry SET endpoints = '[{' WHERE event = 2"],
    ['states of another kind', 'UPDATE retry SET endpoints = 5 WHERE event = 2'],
    ['zeros for its event', 'UPDATE retry_event SET bytes = zeroblob(9) WHERE id = 2'],
    ['an id that is no text', "UPDATE retry_event SET message_id = x'00' WHERE id = 2"],
    ['no event', 'DELETE FROM retry_event WHERE id = 2'],
  ] as const;

  it.each(damages)('because it has %s is set aside, and the others go on', async (_, damage) => {
    let status = 503;
    const server = await startRawServer({ response: () => reply(status) });
    const { destinations, folder, clock } = await retrying(server);
    await change(folder, damage);
    status = 200;
    clock.advance(60_000);
    const { store, endings, damaged, failures } = await scene(destinations, { folder, clock });
    await endings(2);
    store.commit();
    expect(arrived(server, 3)).toEqual(['m0', 'm2']);
    expect(store.length('crm')).toEqual({ waiting: 0, retrying: 0 });
    expect([damaged, failures]).toEqual([[['crm', 1]], []]);
    expect(store.setAside).toEqual({ blocks: 1, events: 1 });
  });

  it.each(damages)(
    'because it has %s is skipped by a search and when others expire',
    async (_, damage) => {
      const server = await startRawServer({ response: () => reply(503) });
      const { destinations, folder, clock } = await retrying(server);
      await change(folder, damage);
      clock.advance(8 * day);
      const off = destinations.map((one) => ({ ...one, isEnabled: false }));
      const { store, damaged, endings, forwarder } = await scene(off, {
        folder,
        clock,
        starts: false,
      });
      expect((await store.finder.retries(all)).items).toHaveLength(2);
      forwarder.start();
      store.commit();
      await endings(2);
      store.commit();
      expect([damaged, store.waitingFor()]).toEqual([[['crm', 1]], []]);
      expect(store.views.deadLetterCount('crm')).toBe(2);
    },
  );
});

describe('a dead letter that cannot be read', () => {
  it.each([
    ['its text', 'UPDATE dead_letter SET bytes = zeroblob(9) WHERE id = 2'],
    ['its id', "UPDATE dead_letter SET message_id = x'00' WHERE id = 2"],
    ['what the endpoint said', "UPDATE dead_letter SET response = '{' WHERE id = 2"],
  ])('because of %s stays listed, and the others are sent again', async (what, damage) => {
    let status = 404;
    const server = await startRawServer({ response: () => reply(status) });
    const destinations = [destinationOf(server.url)];
    const before = await scene(destinations);
    await before.take(ids(3));
    await before.endings(3);
    await before.stop();
    const { folder, clock } = before;
    await change(folder, damage);
    status = 200;
    const { store, forwarder, endings } = await scene(destinations, { folder, clock });
    const listed = store.views.deadLetters({ limit: 9 }).map(({ id }) => id);
    expect(listed).toEqual([3, 2, 1]);
    expect((await store.finder.deadLetters({ ...all, text: 'o' })).items).toHaveLength(3);
    const redelivered = forwarder.redeliver(listed);
    store.commit();
    const isSent = what === 'what the endpoint said';
    expect(await redelivered).toBe(isSent ? 3 : 2);
    await endings(isSent ? 3 : 2);
    expect(store.failure).toBeUndefined();
  });
});
