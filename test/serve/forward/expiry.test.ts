import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { DeliveryOptions } from '../../../src/serve/forward/sender.js';
import { Expiry } from '../../../src/serve/forward/expiry.js';
import { Forwarder } from '../../../src/serve/forward/forwarder.js';
import type { EventRecord } from '../../../src/serve/event-record.js';
import { SqliteStore } from '../../../src/serve/store/sqlite/sqlite-store.js';
import type { Destination, IngestBatch } from '../../../src/serve/types.js';
import { folderWith } from '../../helpers/folder.js';
import { startRawServer, reply } from '../../helpers/raw-server.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { destinationOf, ids, batchOf, sourceOf } from '../batches.js';

const day = 24 * 3_600_000;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function scene(destination: Destination, delivery: DeliveryOptions = {}) {
  const folder = folderWith();
  const clock = new VirtualClock();
  const store = await SqliteStore.open(folder, { clock });
  const reported: EventRecord[] = [];
  const routing = { sources: [sourceOf()], destinations: [destination] };
  const forwarder = new Forwarder({
    ...{ store, routing, clock, delivery: { random: () => 0.5, ...delivery } },
    listener: { onForwarding: (forwarding) => reported.push(forwarding) },
  });
  closing.push(async () => {
    const stopped = forwarder.stop(0);
    clock.advance(0);
    await stopped;
    store.close();
  });
  /** Accepts these events now. */
  const arriving = (messageIds: readonly string[]): IngestBatch => ({
    ...batchOf(messageIds),
    receivedAt: clock.now(),
  });
  const accept = async (messageIds: readonly string[]): Promise<void> => {
    const taken = forwarder.accept(arriving(messageIds));
    store.commit();
    await taken;
  };
  /** Advances time and expires events. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let i = 0; i < 15; i++) {
      store.commit();
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(60_000);
    }
  };
  const codes = (): string[] => store.views.deadLetters({ limit: 999 }).map(({ code }) => code);
  return { store, forwarder, clock, reported, arriving, accept, pass, codes, routing };
}

it('events for a destination that is off expire after 7 days, not before', async () => {
  const off = destinationOf('http://127.0.0.1:1/');
  const { store, forwarder, arriving, pass, codes, reported, routing } = await scene(off);
  forwarder.start();
  await forwarder.reconfigure({ ...routing, destinations: [] });
  // Uses the earlier routes: the destination was on when these were received.
  const route = [{ destinations: ['crm'], skipped: [] }];
  const take = async (id: string) => {
    const taken = store.accept(arriving([id]), route, () => undefined);
    store.commit();
    await taken;
  };
  await take('old');
  await pass(3 * day);
  await take('young');
  await pass(4 * day - 3_600_000);
  expect(codes()).toEqual([]);
  expect(forwarder.destinations()).toMatchObject([{ name: 'crm', waiting: 2 }]);
  await pass(2 * 3_600_000);
  expect(codes()).toEqual(['expired']);
  expect(reported).toMatchObject([
    { messageId: 'old', state: 'failed', code: 'expired', attempts: 0 },
  ]);
  expect(forwarder.destinations()).toMatchObject([{ name: 'crm', waiting: 1 }]);
  expect(store.counts()).toContainEqual({
    ...{ source: 'web', destination: 'crm', what: 'failed', count: 1 },
  });
});

it('more than expire at once are expired in several steps, and a redelivered one waits again', async () => {
  const { store, forwarder, arriving, pass, codes } = await scene(
    destinationOf('http://127.0.0.1:1/', { isEnabled: false }),
  );
  const route = { destinations: ['crm'], skipped: [] };
  const taken = store.accept(
    arriving(ids(450)),
    ids(450).map(() => route),
    () => undefined,
  );
  store.commit();
  await taken;
  forwarder.start();
  await pass(7 * day + 3_600_000);
  expect(new Set(codes())).toEqual(new Set(['expired']));
  expect(codes()).toHaveLength(450);
  const [deadLetter] = store.views.deadLetters({ limit: 1 });
  const again = forwarder.redeliver([deadLetter!.id]);
  store.commit();
  expect(await again).toBe(1);
  await pass(6 * day);
  expect(forwarder.destinations()).toMatchObject([{ waiting: 1 }]);
  await pass(day + 2 * 3_600_000);
  expect(codes()).toHaveLength(450);
});

it('a destination that is switched on sends no expired events', async () => {
  const server = await startRawServer();
  const { store, forwarder, arriving, accept, clock, codes, reported, routing } = await scene(
    destinationOf(server.url, { isEnabled: false }),
  );
  const route = [{ destinations: ['crm'], skipped: [] }];
  const taken = store.accept(arriving(['old']), route, () => undefined);
  store.commit();
  await taken;
  clock.advance(8 * day);
  forwarder.start();
  await forwarder.reconfigure({ ...routing, destinations: [destinationOf(server.url)] });
  await accept(['new']);
  await expect
    .poll(() => reported.map(({ state }) => state).sort())
    .toEqual(['delivered', 'failed']);
  store.commit();
  expect(server.requests).toHaveLength(1);
  expect([codes(), store.waitingFor()]).toEqual([['expired'], []]);
});

it('attempted events of a destination that is switched off expire, too, with their last response', async () => {
  const server = await startRawServer({ response: () => reply(503) });
  const { store, forwarder, accept, pass, reported, routing } = await scene(
    destinationOf(server.url),
  );
  forwarder.start();
  await accept(['m0']);
  await expect.poll(() => reported).toHaveLength(1);
  store.commit();
  await forwarder.reconfigure({
    ...routing,
    destinations: [destinationOf(server.url, { isEnabled: false })],
  });
  await pass(7 * day + 3_600_000);
  expect(store.views.deadLetters({ limit: 9 })).toMatchObject([
    { code: 'expired', attempts: 1, status: 503 },
  ]);
  expect(store.waitingFor()).toEqual([]);
});

it('what is in memory is asked within the transaction, since events come into memory before it', () => {
  let loadedUpTo = 0;
  const asked: (() => { readonly loadedUpTo: number })[] = [];
  const expiry = new Expiry({
    store: {
      waitingFor: () => ['crm'],
      expire: ({ unused }: { readonly unused: (typeof asked)[number] }) => {
        asked.push(unused);
        return Promise.resolve(undefined);
      },
    } as never,
    clock: new VirtualClock(),
    unusedOf: () => ({ loadedUpTo, keepsRetries: true }),
    onExpired: () => () => undefined,
  });
  expiry.start();
  loadedUpTo = 7;
  expect(asked.map((unused) => unused().loadedUpTo)).toEqual([7]);
  expiry.stop();
});

it('events that are in memory or in flight do not expire', async () => {
  const held: Socket[] = [];
  const server = await startRawServer({ response: () => (socket) => held.push(socket) });
  const { forwarder, accept, pass, codes, reported, store } = await scene(
    destinationOf(server.url),
    { concurrency: 1, timeoutMs: 30 * day },
  );
  forwarder.start();
  // Nothing is kept in memory for a destination that has not responded.
  await accept(['first']);
  await expect.poll(() => held).toHaveLength(1);
  held.shift()!.write(reply(200));
  await expect.poll(() => reported.splice(0)).toHaveLength(1);
  await accept(['in flight', 'in memory']);
  await expect.poll(() => held).toHaveLength(1);
  await pass(7 * day + 3_600_000);
  expect([codes(), reported]).toEqual([[], []]);
  held[0]!.write(reply(200));
  await expect.poll(() => reported.map(({ state }) => state)).toEqual(['delivered', 'failed']);
  store.commit();
  expect(reported.map(({ messageId }) => messageId)).toEqual(['in flight', 'in memory']);
  expect(codes()).toEqual(['expired']);
});
