import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DestinationQueue } from '../../../src/serve/forward/destination-queue.js';
import type { Destination } from '../../../src/serve/types.js';
import { StateFile } from '../../../src/storage/state-file.js';
import { WebhookTarget } from '../../../src/webhook/target.js';
import { withResolvers } from '../../../src/with-resolvers.js';
import { signingBy } from '../../helpers/signing.js';
import {
  reply,
  startRawServer,
  type RawAnswer,
  type RawRequest,
} from '../../helpers/raw-server.js';
import { acceptedOf, destinationOf, ids, batchOf, receivedAt, sourceOf } from '../batches.js';
import { scene } from './scene.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const serverResponding = (...responses: RawAnswer[]) =>
  startRawServer({
    response: (_request, index) => responses[Math.min(index, responses.length - 1)],
  });

const idOf = ({ body }: RawRequest): string => JSON.parse(body.toString()).messageId;

describe('an event', () => {
  it('is forwarded to every destination of its source, signed for each, and then deleted', async () => {
    const [one, other] = [await startRawServer(), await startRawServer()];
    const { take, endings, store, reported } = await scene([
      destinationOf(one.url, { signing: signingBy('x-signature', 's1') }),
      destinationOf(other.url, { name: 'erp' }),
    ]);
    await take(ids(100));
    await endings(200);
    store.commit();
    // Several connections do not keep the order.
    const bodies = [one, other].map(({ requests }) => requests.map(({ body }) => String(body)));
    expect(new Set(one.requests.map(idOf))).toEqual(new Set(ids(100)));
    expect(bodies[0]!.sort()).toEqual(bodies[1]!.sort());
    const signed = one.requests[0]!.headers.map(([name]) => name).includes('X-Signature');
    expect([signed, store.waitingFor()]).toEqual([true, []]);
    expect(reported.at(-1)).toMatchObject({
      ...{
        source: 'web',
        type: 'track',
        state: 'delivered',
        status: 200,
        attempts: 1,
        receivedAt,
      },
    });
    expect(reported.filter(({ destination }) => destination === 'erp')).toHaveLength(100);
  });

  it('is forwarded as its integrations allow, by the integration name of a destination', async () => {
    const [one, other] = [await startRawServer(), await startRawServer()];
    const { forwarder, store, endings, sources } = await scene([
      destinationOf(one.url),
      destinationOf(other.url, { name: 'erp', integrationName: 'ERP' }),
    ]);
    const accepted = [
      acceptedOf('both', { integrations: { erp: false } }),
      acceptedOf('one', { integrations: { ERP: false } }),
      acceptedOf('other', { integrations: { All: false, ERP: { fast: true } } }),
      acceptedOf('none', { integrations: { All: false } }),
    ];
    const done = forwarder.accept({ source: sources[0]!, receivedAt, accepted, rejected: [] });
    store.commit();
    await done;
    await endings(4);
    store.commit();
    expect(one.requests.map(idOf).sort()).toEqual(['both', 'one']);
    expect(other.requests.map(idOf).sort()).toEqual(['both', 'other']);
    const skipped = store.counts().filter(({ what }) => what === 'skipped');
    expect(skipped.map(({ destination, count }) => [destination, count]).sort()).toEqual([
      ['crm', 2],
      ['erp', 2],
    ]);
  });

  it('of a disabled source, or for a disabled destination, is counted and not forwarded', async () => {
    const server = await startRawServer();
    const off = sourceOf({ name: 'off', isEnabled: false });
    const { take, store } = await scene([destinationOf(server.url, { isEnabled: false })], {
      sources: [sourceOf(), off],
    });
    await take(['m1']);
    await take(['m2'], off);
    const unforwarded = store.counts().filter(({ what }) => what === 'unforwarded');
    expect(unforwarded.map(({ source }) => source).sort()).toEqual(['off', 'web']);
    expect(server.sockets.length).toBe(0);
  });

  it('is not forwarded to a private address, unless allowed, and retried as after a 503', async () => {
    const server = await startRawServer();
    const { take, endings, reported, store } = await scene([
      destinationOf(server.url, { allowPrivateNetworks: false }),
    ]);
    await take(['m1']);
    await endings(1);
    store.commit();
    expect(reported[0]).toMatchObject({ state: 'retrying', error: 'private_address' });
    expect([store.waitingFor(), server.sockets.length]).toEqual([['crm'], 0]);
  });
});

describe('more events than fit in memory', () => {
  it('all arrive, in the order of arrival, while their destination is slow', async () => {
    const held: (() => void)[] = [];
    let isSlow = true;
    const server = await startRawServer({
      response: () => (socket) => {
        const response = (): unknown => socket.write(reply(200));
        if (isSlow) held.push(response);
        else response();
      },
    });
    const { take, endings, store } = await scene([destinationOf(server.url)], {
      delivery: { concurrency: 1 },
    });
    for (let i = 0; i < 5; i++) await take(ids(400, i * 400));
    await server.arrived(1);
    isSlow = false;
    held[0]!();
    await endings(2_000);
    expect(server.requests.map(idOf)).toEqual(ids(2_000));
    store.commit();
    expect(store.length('crm').waiting).toBe(0);
  });
});

describe('a destination that fails', () => {
  it('gets a retry when it is due, also after a restart, with the same bytes', async () => {
    const server = await serverResponding(reply(503), reply(503), reply(200));
    const first = await scene([destinationOf(server.url)]);
    await first.take(['m1']);
    await first.endings(1);
    first.store.commit();
    expect(first.forwarder.destinations()).toMatchObject([
      { waiting: 1, retrying: 1, nextRetryAt: first.clock.now() + 5_000 },
    ]);
    first.clock.advance(5_000);
    await first.endings(2);
    await first.stop();
    const { folder, clock } = first;
    clock.advance(14_000);
    const second = await scene([destinationOf(server.url)], { folder, clock });
    expect(server.requests.length).toBe(2);
    clock.advance(1_000);
    await second.endings(1);
    expect(second.reported).toMatchObject([
      { state: 'delivered', attempts: 3, endpoints: [{ attempt: 3 }] },
    ]);
    expect(new Set(server.requests.map(({ body }) => body.toString())).size).toBe(1);
  });

  it('permanently causes a dead letter, which can be redelivered', async () => {
    const server = await serverResponding(reply(404), reply(200));
    const { take, endings, store, forwarder } = await scene([destinationOf(server.url)]);
    await take(['m1']);
    await endings(1);
    store.commit();
    const [deadLetter] = store.views.deadLetters({ limit: 9 });
    expect(deadLetter).toMatchObject({ code: 'status_404', attempts: 1, status: 404 });
    const redelivered = forwarder.redeliver([deadLetter!.id]);
    store.commit();
    expect(await redelivered).toBe(1);
    await endings(2);
    expect(server.requests.map(({ body }) => body.toString())[1]).toBe(
      server.requests[0]!.body.toString(),
    );
  });

  it('slows no other one, and gets what it missed when it recovers', async () => {
    const hanging = await startRawServer({ response: () => undefined });
    let isDown = true;
    const dead = await startRawServer({ response: () => reply(isDown ? 503 : 200) });
    const good = await startRawServer();
    const { take, store, clock } = await scene([
      destinationOf(hanging.url, { name: 'hanging' }),
      destinationOf(dead.url, { name: 'dead' }),
      destinationOf(good.url, { name: 'good' }),
    ]);
    for (let i = 0; i < 10; i++) {
      await take(ids(200, i * 200));
      await good.arrived((i + 1) * 200);
    }
    expect(new Set(good.requests.map(idOf))).toEqual(new Set(ids(2_000)));
    expect(hanging.requests.length).toBeLessThanOrEqual(64);
    isDown = false;
    const delivered = new Set<string>();
    let read = 0;
    let seconds = 0;
    while (store.length('dead').waiting > 0) {
      clock.advance(1_000);
      seconds++;
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      store.commit();
    }
    for (; read < dead.requests.length; read++) delivered.add(idOf(dead.requests[read]!));
    expect(delivered.size).toBe(2_000);
    expect(seconds).toBeLessThan(120);
  });
});

describe('a change of the configuration', () => {
  it('loses nothing: added, changed, disabled, removed and back again', async () => {
    const [one, other] = [
      await startRawServer({ response: () => undefined }),
      await startRawServer(),
    ];
    const { take, forwarder, store, sources, clock, endings } = await scene(
      [destinationOf(one.url)],
      { delivery: { concurrency: 2 } },
    );
    await take(ids(300));
    await one.arrived(2);
    const to = (destinations: readonly Destination[]) => {
      const done = forwarder.reconfigure({ sources, destinations });
      clock.advance(10_000);
      return done;
    };
    await to([destinationOf(one.url, { isEnabled: false })]);
    expect(forwarder.destinations()).toMatchObject([{ isEnabled: false, waiting: 300 }]);
    await to([]);
    expect(forwarder.destinations()).toMatchObject([
      { name: 'crm', isConfigured: false, waiting: 300, urls: [] },
    ]);
    await take(['m300'], sourceOf({ destinations: ['crm'] }));
    await to([destinationOf(other.url)]);
    // Two were attempted at the first destination, and are due again by now.
    await endings(302);
    expect(new Set(other.requests.map(idOf))).toEqual(new Set(ids(300)));
    expect(store.counts().filter(({ what }) => what === 'unforwarded')).toMatchObject([
      { count: 1 },
    ]);
  });

  it('sends nothing again that was delivered before and is not committed yet', async () => {
    const server = await startRawServer();
    const { take, forwarder, sources, endings } = await scene([destinationOf(server.url)]);
    await take(['m1', 'm2']);
    await endings(2);
    const headers = { 'X-Changed': '1' };
    const changed = destinationOf(server.url, { endpoints: [{ url: server.url, headers }] });
    await forwarder.reconfigure({ sources, destinations: [changed] });
    await take(['m3']);
    await endings(3);
    expect(server.requests.map(idOf)).toEqual(['m1', 'm2', 'm3']);
  });

  it('that is not valid changes nothing', async () => {
    const server = await startRawServer();
    const { forwarder, take, endings, sources } = await scene([destinationOf(server.url)]);
    const broken = [destinationOf('ftp://x')];
    expect(() => forwarder.reconfigure({ sources, destinations: broken })).toThrow(/http/);
    await take(['m1']);
    await endings(1);
    expect(server.requests.length).toBe(1);
  });
});

describe('stopping', () => {
  it('waits for what is in flight, and leaves the rest for the next start', async () => {
    const held: (() => void)[] = [];
    const server = await startRawServer({
      response: (_request, index) => (socket) => {
        if (index === 0) held.push(() => socket.write(reply(200)));
        else socket.write(reply(200));
      },
    });
    const first = await scene([destinationOf(server.url)], { delivery: { concurrency: 1 } });
    await first.take(ids(3));
    await server.arrived(1);
    const stopped = first.forwarder.stop(60_000);
    held[0]!();
    await stopped;
    expect(first.reported.map(({ state }) => state)).toEqual(['delivered']);
    await first.stop();
    const { folder, clock } = first;
    const second = await scene([destinationOf(server.url)], { folder, clock });
    await second.endings(2);
    expect(server.requests.map(idOf)).toEqual(ids(3));
  });

  it('interrupts slow attempts, which are retried', async () => {
    const server = await startRawServer({ response: () => undefined });
    const { take, stop, folder, clock } = await scene([destinationOf(server.url)]);
    await take(['m1']);
    await server.arrived(1);
    await stop();
    const second = await scene([destinationOf(server.url)], { folder, clock, starts: false });
    expect(second.store.length('crm')).toEqual({ waiting: 1, retrying: 1 });
  });
});

it('a test event is sent at once to one destination, and not stored', async () => {
  const server = await startRawServer();
  const { forwarder, store } = await scene([destinationOf(server.url, { isEnabled: false })]);
  expect(await forwarder.test('crm')).toMatchObject({ outcome: { verdict: 'delivered' } });
  expect(JSON.parse(server.requests[0]!.body.toString())).toMatchObject({ event: 'Test Event' });
  expect([store.waitingFor(), store.counts()]).toEqual([[], []]);
  await expect(forwarder.test('erp')).rejects.toThrow(/no destination is called "erp"/);
});

it('a test event is sent at once to an endpoint that is paused, and leaves it paused', async () => {
  const server = await serverResponding(reply(503, { 'Retry-After': '3600' }));
  const { forwarder, take, endings } = await scene([destinationOf(server.url)]);
  await take(['m1']);
  await endings(1);
  const [before] = forwarder.destinations();
  expect(before!.paused.size).toBe(1);
  expect((await forwarder.test('crm')).outcome).toMatchObject({ attempts: [{ status: 503 }] });
  expect(forwarder.destinations()[0]!.paused).toEqual(before!.paused);
});

it('a test event has the attempts at all URLs, however slow', async () => {
  const held: Socket[] = [];
  const slow = await startRawServer({ response: () => (socket) => held.push(socket) });
  const fast = await startRawServer();
  const { forwarder } = await scene([destinationOf([fast.url, slow.url])]);
  const outcome = forwarder.test('crm');
  await Promise.all([fast.arrived(1), slow.arrived(1)]);
  held[0]!.write(reply(500));
  const { attempts } = (await outcome).outcome;
  expect(attempts.map(({ status }) => status).sort()).toEqual([200, 500]);
});

it('a retry that is due before its postponement is on the disk is sent once', async () => {
  const flushed = withResolvers();
  const flush = vi.spyOn(StateFile.prototype, 'flush').mockReturnValue(flushed.promise);
  const held: Socket[] = [];
  const server = await startRawServer({
    response: (_request, index) => (index === 0 ? reply(503) : (socket) => held.push(socket)),
  });
  const { take, endings, clock } = await scene([destinationOf(server.url)], {
    delivery: { retryDelaysMs: [1_000] },
  });
  await take(['m1']);
  await endings(1);
  // The postponement is committed, and its flush takes longer than the delay.
  clock.advance(100);
  expect(flush).toHaveBeenCalled();
  clock.advance(2_000);
  await server.arrived(2);
  flushed.resolve();
  await nextTurn();
  clock.advance(2_000);
  await nextTurn();
  await take(['m2']);
  await server.arrived(3);
  expect(server.requests.map(idOf)).toEqual(['m1', 'm1', 'm2']);
});

it('every enabled destination of its source is notified of a deletion', async () => {
  const server = await startRawServer();
  const { forwarder, store, endings, sources } = await scene([destinationOf(server.url)]);
  const timestamp = '2026-01-01T00:00:00Z';
  const deletion = { source: sources[0]!, userId: '7', timestamp, receivedAt };
  const done = forwarder.acceptDeletion(deletion);
  store.commit();
  await done;
  await endings(1);
  expect(server.requests[0]!.body.toString()).toBe(
    `{"type":"delete","userId":7,"timestamp":"${timestamp}"}`,
  );
});

describe('an error of the program itself', () => {
  const failing = (times: number): (() => void) => {
    let left = times;
    return () => {
      if (left-- > 0) throw new Error('a defect');
    };
  };

  it('in a listener loses neither the event nor the others', async () => {
    const server = await startRawServer();
    const fail = failing(2);
    const { take, endings, store, defects, forwarder } = await scene([destinationOf(server.url)], {
      listener: { onForwarding: fail },
    });
    await take(ids(5));
    await endings(5);
    store.commit();
    expect(defects).toEqual(['Error: a defect', 'Error: a defect']);
    expect([store.waitingFor(), server.requests.length]).toEqual([[], 5]);
    expect(forwarder.destinations()).toMatchObject([{ inFlight: 0 }]);
  });

  it('before an event is sent has it retried by the schedule, and not at once', async () => {
    const server = await startRawServer();
    const { take, endings, store, defects, clock, forwarder } = await scene([
      destinationOf(server.url),
    ]);
    const fail = failing(1);
    vi.spyOn(WebhookTarget.prototype, 'send').mockImplementationOnce(fail);
    await take(['m1', 'm2']);
    await endings(2);
    store.commit();
    expect(defects).toEqual(['Error: a defect']);
    expect(forwarder.destinations()).toMatchObject([
      { inFlight: 0, waiting: 1, retrying: 1, nextRetryAt: clock.now() + 5_000 },
    ]);
    clock.advance(5_000);
    await endings(3);
    store.commit();
    expect([server.requests.map(idOf), store.waitingFor()]).toEqual([['m2', 'm1'], []]);
  });

  it('after an event was delivered has it recorded as delivered', async () => {
    const server = await startRawServer();
    const { take, endings, store, defects, reported } = await scene([destinationOf(server.url)]);
    vi.spyOn(store, 'end').mockImplementationOnce(failing(1));
    await take(['m1']);
    await endings(1);
    store.commit();
    expect(defects).toEqual(['Error: a defect']);
    expect(reported.map(({ state }) => state)).toEqual(['delivered']);
    expect([server.requests.length, store.waitingFor()]).toEqual([1, []]);
  });

  it('with each attempt makes it a dead letter in the end', async () => {
    const server = await startRawServer();
    const { take, store, clock, reported } = await scene([destinationOf(server.url)]);
    vi.spyOn(WebhookTarget.prototype, 'send').mockImplementation(failing(Infinity));
    await take(['m1']);
    for (let minutes = 0; minutes < 5 * 60; minutes++) {
      store.commit();
      clock.advance(60_000);
    }
    store.commit();
    expect(store.views.deadLetters({ limit: 9 })).toMatchObject([
      { messageId: 'm1', code: 'internal_error', attempts: reported.length },
    ]);
    expect(reported.length).toBeGreaterThan(8);
    expect(store.waitingFor()).toEqual([]);
  });

  it('after a commit leaves all clients with their 200', async () => {
    const server = await startRawServer();
    const { forwarder, store, endings } = await scene([destinationOf(server.url)]);
    vi.spyOn(DestinationQueue.prototype, 'offer').mockImplementationOnce(failing(1));
    const responses = ['m1', 'm2'].map((id) => forwarder.accept(batchOf([id])));
    store.commit();
    await Promise.all(responses);
    await endings(1);
    expect(server.requests.map(idOf)).toEqual(['m2']);
  });

  it('of the state at the start is followed by another read, without a new event', async () => {
    const server = await startRawServer();
    const destinations = [destinationOf(server.url)];
    const before = await scene(destinations, { starts: false });
    await before.take(['m1']);
    await before.stop();
    const { folder, clock } = before;
    const { store, forwarder, endings, failures } = await scene(destinations, {
      ...{ folder, clock, starts: false },
    });
    vi.spyOn(store, 'notAttempted').mockImplementationOnce(failing(1) as never);
    forwarder.start();
    expect([server.requests.length, failures.length]).toEqual([0, 1]);
    clock.advance(1_000);
    await endings(1);
    expect(server.requests.map(idOf)).toEqual(['m1']);
  });

  it('of the state, which is read again, delays no retry', async () => {
    const server = await serverResponding(reply(503), reply(200));
    const { take, endings, store, clock } = await scene([destinationOf(server.url)]);
    await take(['m1']);
    await endings(1);
    store.commit();
    vi.spyOn(store, 'retry').mockImplementationOnce(failing(1) as never);
    await nextTurn();
    clock.advance(5_000);
    expect(server.requests.length).toBe(1);
    clock.advance(1_000);
    await endings(2);
    expect(server.requests.length).toBe(2);
  });
});

describe('a clock that is set', () => {
  const hour = 3_600_000;

  it.each([-2 * hour, 2 * hour])('by %i ms delays no retry', async (byMs) => {
    const server = await serverResponding(reply(503), reply(503), reply(200));
    const { take, endings, store, clock } = await scene([destinationOf(server.url)]);
    await take(['m1']);
    await endings(1);
    store.commit();
    clock.advance(1_000);
    clock.set(byMs);
    clock.advance(4_000);
    await endings(2);
    store.commit();
    clock.set(-byMs);
    clock.advance(15_000);
    await endings(3);
    expect(server.requests.length).toBe(3);
  });

  it('back while due retries wait for room delays none of them', async () => {
    let held: Socket | undefined;
    let status = 503;
    const server = await startRawServer({
      response: () => {
        if (status === 503 || held) return reply(status);
        return (socket) => (held = socket);
      },
    });
    const { take, endings, store, clock } = await scene([destinationOf(server.url)], {
      delivery: { concurrency: 1 },
    });
    await take(['m1', 'm2', 'm3']);
    await endings(3);
    store.commit();
    status = 200;
    clock.advance(6_000);
    await expect.poll(() => held).toBeDefined();
    clock.set(-2 * hour);
    held!.write(reply(200));
    await endings(6);
    store.commit();
    expect(server.requests.slice(3).map(idOf).sort()).toEqual(['m1', 'm2', 'm3']);
    expect(store.length('crm').waiting).toBe(0);
  });
});
