import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../src/webhook/endpoint.js';
import { reply, startRawServer, type RawRequest } from '../../helpers/raw-server.js';
import { acceptedOf, destinationOf, receivedAt } from '../batches.js';
import { scene } from './scene.js';

const idOf = ({ body }: RawRequest): string => JSON.parse(body.toString()).messageId;

const accepted = [
  acceptedOf('order', { type: 'track', event: 'Order Completed' }),
  acceptedOf('cart', { type: 'track', event: 'Cart Viewed' }),
  acceptedOf('page', { type: 'page', name: 'Home' }),
];

type Scene = Awaited<ReturnType<typeof scene>>;

async function take({ forwarder, store, sources }: Scene, which = accepted): Promise<void> {
  const done = forwarder.accept({ source: sources[0]!, receivedAt, accepted: which, rejected: [] });
  store.commit();
  await done;
}

function skippedIn({ store }: Scene): number {
  store.commit();
  const found = store.counts().filter(({ what }) => what === 'skipped');
  return found.reduce((sum, { count }) => sum + count, 0);
}

describe('the endpoints of a destination', () => {
  it('get the events that they want, and what none wants is skipped at once', async () => {
    const [orders, all] = [await startRawServer(), await startRawServer()];
    const endpoints: Endpoint[] = [
      { url: orders.url, events: ['Order *'] },
      { url: all.url, types: ['track'] },
    ];
    const running = await scene([destinationOf([], { endpoints })]);
    await take(running);
    await running.endings(2);
    expect(orders.requests.map(idOf)).toEqual(['order']);
    expect(all.requests.map(idOf).sort()).toEqual(['cart', 'order']);
    expect([skippedIn(running), running.store.waitingFor()]).toEqual([1, []]);
  });

  it('that an event is tried at are the same after a restart', async () => {
    const [first, second] = [
      await startRawServer({ response: (_, i) => reply(i === 0 ? 503 : 200) }),
      await startRawServer(),
    ];
    const endpoints: Endpoint[] = [
      { url: second.url, types: ['page'] },
      { url: first.url, types: ['track'] },
    ];
    const before = await scene([destinationOf([], { endpoints })]);
    await take(before, accepted.slice(0, 1));
    await before.endings(1);
    expect(before.reported).toMatchObject([{ state: 'retrying', attempts: 1 }]);
    before.store.commit();
    await before.stop();
    const { folder, clock } = before;
    const after = await scene([destinationOf([], { endpoints })], { folder, clock });
    clock.advance(6_000);
    await after.endings(1);
    expect(after.reported).toMatchObject([{ state: 'delivered', endpoints: [{ attempt: 2 }] }]);
    expect([first.requests.length, second.requests.length]).toEqual([2, 0]);
  });

  it('may want an event no more after a reload: it ends as skipped', async () => {
    const server = await startRawServer({ response: () => reply(503) });
    const wanting = destinationOf([], { endpoints: [{ url: server.url, types: ['track'] }] });
    const running = await scene([wanting]);
    await take(running, accepted.slice(0, 1));
    await running.endings(1);
    const { sources, forwarder, clock } = running;
    const endpoints: Endpoint[] = [{ url: server.url, types: ['page'] }];
    await forwarder.reconfigure({ sources, destinations: [{ ...wanting, endpoints }] });
    clock.advance(20_000);
    await running.endings(2);
    expect(running.reported.at(-1)).toMatchObject({ state: 'skipped', code: 'not_wanted' });
    expect([server.requests.length, skippedIn(running)]).toEqual([1, 1]);
    expect(running.store.waitingFor()).toEqual([]);
  });

  it('that are down hold up no event of another one, and get theirs once they are up', async () => {
    let isDown = true;
    const pages = await startRawServer({ response: () => reply(isDown ? 503 : 200) });
    const tracks = await startRawServer();
    const endpoints: Endpoint[] = [
      { url: pages.url, types: ['page'] },
      { url: tracks.url, types: ['track'] },
    ];
    const running = await scene([destinationOf([], { endpoints })]);
    const count = 300;
    const some = (type: string, name: object) =>
      Array.from({ length: count }, (_, i) => acceptedOf(`${type}${i}`, { type, ...name }));
    await take(running, some('page', { name: 'Home' }));
    await expect.poll(() => running.forwarder.destinations()[0]!.down).toHaveLength(1);
    await take(running, some('track', { event: 'E' }));
    await tracks.arrived(count);
    expect(new Set(tracks.requests.map(idOf)).size).toBe(count);
    isDown = false;
    const { reported, clock } = running;
    const isDelivered = () =>
      reported.filter(({ type, state }) => type === 'page' && state === 'delivered').length;
    for (let waited = 0; isDelivered() < count && waited < 1_000; waited++) {
      clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(isDelivered()).toBe(count);
    expect(running.defects).toEqual([]);
  });

  it('that are all down, or beside one that is up, are probed by the schedule, whose retry is due or not', async () => {
    for (const isOneUp of [true, false]) {
      const { probes, outageMs } = await probesOf(isOneUp);
      const [first, ...rest] = probes.filter((at) => at >= outageMs / 4);
      let last = first!;
      // After each hundredth of the outage, and up to a second more by the steps of the clock.
      for (const at of [...rest, outageMs]) {
        expect(at - last).toBeLessThanOrEqual(0.01 * outageMs + 2_000);
        last = at;
      }
      // No more than the schedule has.
      expect(rest.length).toBeLessThanOrEqual(1 + Math.log(4) / Math.log(1.01));
    }
  });

  it('get a test event whatever they want', async () => {
    const server = await startRawServer();
    const endpoints: Endpoint[] = [{ url: server.url, types: ['page'] }];
    const { forwarder } = await scene([destinationOf([], { endpoints })]);
    expect((await forwarder.test('crm')).outcome.verdict).toBe('delivered');
    expect(server.requests).toHaveLength(1);
  });

  it('have a rate of their own', async () => {
    const server = await startRawServer();
    const endpoints: Endpoint[] = [{ url: server.url, rate: 2 }];
    const running = await scene([destinationOf([], { endpoints })]);
    await take(running);
    for (const count of [1, 2, 3]) {
      await server.arrived(count);
      await running.endings(count);
      expect(server.requests).toHaveLength(count);
      running.clock.advance(500);
    }
  });
});

/** When a URL that is down was probed, in ms since the start of its outage; another one is down, too. */
async function probesOf(isOneUp: boolean): Promise<{ probes: number[]; outageMs: number }> {
  const outageMs = 200_000;
  const [pages, tracks, orders] = [
    await startRawServer({ response: () => reply(503) }),
    await startRawServer({ response: () => reply(503) }),
    await startRawServer(),
  ];
  const endpoints: Endpoint[] = [
    { url: pages.url, types: ['page'] },
    { url: tracks.url, types: ['track'] },
    ...(isOneUp ? [{ url: orders.url, types: ['identify' as const] }] : []),
  ];
  const running = await scene([destinationOf([], { endpoints })]);
  const { clock, forwarder } = running;
  const count = 40;
  const some = (type: string, name: object) =>
    Array.from({ length: count }, (_, i) => acceptedOf(`${type}${i}`, { type, ...name }));
  const isDown = (urls: number) =>
    expect.poll(() => forwarder.destinations()[0]!.down).toHaveLength(urls);
  await take(running, some('track', { event: 'E' }));
  await isDown(1);
  await take(running, some('page', { name: 'Home' }));
  await isDown(2);
  const start = clock.now();
  const probes: number[] = [];
  for (let seen = pages.requests.length; clock.now() - start < outageMs;) {
    clock.advance(500);
    // By then a probe has its response, also on a machine that is busy.
    for (let asked = 0; asked < 2; asked++) await (await fetch(orders.url)).text();
    for (; seen < pages.requests.length; seen++) probes.push(clock.now() - start);
  }
  expect(running.defects).toEqual([]);
  return { probes, outageMs };
}
