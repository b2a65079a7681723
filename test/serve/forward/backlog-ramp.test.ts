import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { reply, startRawServer, type RawServer } from '../../helpers/raw-server.js';
import { destinationOf, ids } from '../batches.js';
import { scene } from './scene.js';

type Scene = Awaited<ReturnType<typeof scene>>;

const backlog = 3_000;
/** The first second of a ramp, and the requests that may be in flight when it begins. */
const maxAtFirst = 120 + 64;

/** A server whose response can be changed, with the ids of the events that it has accepted. */
async function changing(first: number | undefined, headers: Record<string, string> = {}) {
  const state = { status: first };
  const accepted: string[] = [];
  const server = await startRawServer({
    response: ({ body }) => {
      if (state.status === 200) accepted.push(JSON.parse(body.toString()).messageId);
      if (state.status === undefined) return undefined;
      return reply(state.status, state.status === 200 ? {} : headers);
    },
  });
  return { server, state, accepted };
}

/** Goes on by this time in steps, and lets the responses arrive in each. */
async function passes({ clock, forwarder }: Scene, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    clock.advance(10);
    do await nextTurn();
    while (
      forwarder.destinations().some(({ inFlight, down }) => inFlight > 0 && down.length === 0)
    );
  }
}

/** Goes on until this is so. */
async function until({ clock }: Scene, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await nextTurn();
    clock.advance(1);
  }
}

const isDown = ({ forwarder }: Scene, name = 'crm'): boolean =>
  forwarder.destinations().some((one) => one.name === name && one.down.length > 0);

/** How many events each of the next seconds delivers. */
async function perSecond(at: Scene, accepted: readonly string[], seconds: number) {
  const counts: number[] = [];
  for (let second = 0; second < seconds; second++) {
    const before = accepted.length;
    await passes(at, 1_000);
    counts.push(accepted.length - before);
  }
  return counts;
}

/** Stores events that are not attempted, and ends. */
async function withBacklog(server: RawServer, count = backlog) {
  const before = await scene([destinationOf(server.url)], { starts: false });
  await before.take(ids(count));
  await before.stop();
  const { folder, clock } = before;
  return { folder, clock };
}

/** Waits until the URL is seen as down. */
async function goesDown(at: Scene, count = backlog): Promise<void> {
  await at.take(ids(count));
  await until(at, () => isDown(at));
  at.store.commit();
}

function expectRamp([first, second, third]: readonly number[]): void {
  expect(first).toBeGreaterThan(50);
  expect(first).toBeLessThanOrEqual(maxAtFirst);
  expect(second).toBeGreaterThan(first!);
  expect(third).toBeGreaterThan(3 * first!);
}

describe('a backlog is sent slowly at first, and then faster', () => {
  it('after a restart', async () => {
    const { server, accepted } = await changing(200);
    const at = await scene([destinationOf(server.url)], await withBacklog(server));
    expectRamp(await perSecond(at, accepted, 4));
    expect(accepted).toHaveLength(backlog);
  });

  it('after a restart at an endpoint that does not answer at first', async () => {
    const { server, state, accepted } = await changing(undefined);
    const at = await scene([destinationOf(server.url)], await withBacklog(server));
    await server.arrived(16);
    // The 16 requests in flight time out after 5 s.
    state.status = 200;
    at.clock.advance(5_000);
    await until(at, () => accepted.length > 0);
    expectRamp(await perSecond(at, accepted, 4));
  });

  it('when its retries fall due after a restart', async () => {
    let index = 0;
    const { server, accepted } = await changing(200);
    const failing = await startRawServer({ response: () => reply(index++ % 10 ? 503 : 200) });
    const before = await scene([destinationOf(failing.url)]);
    await before.take(ids(backlog));
    await before.endings(backlog);
    before.store.commit();
    const retrying = before.store.length('crm').retrying;
    expect(retrying).toBeGreaterThan(2_500);
    await before.stop();
    const { folder, clock } = before;
    clock.advance(60_000);
    const at = await scene([destinationOf(server.url)], { folder, clock });
    // So many failed that the first is a probe.
    await until(at, () => accepted.length > 0 && !isDown(at));
    expectRamp(await perSecond(at, accepted, 4));
    expect(accepted).toHaveLength(retrying);
  });

  it('after an endpoint that was down', async () => {
    const { server, state, accepted } = await changing(503);
    const at = await scene([destinationOf(server.url)]);
    await goesDown(at);
    state.status = 200;
    await until(at, () => accepted.length > 0);
    expectRamp(await perSecond(at, accepted, 4));
    await passes(at, 10_000);
    expect(new Set(accepted)).toEqual(new Set(ids(backlog)));
  });

  it('after a pause of an endpoint', async () => {
    const { server, state, accepted } = await changing(429, { 'Retry-After': '30' });
    const at = await scene([destinationOf(server.url)]);
    await at.take(ids(backlog));
    await until(at, () => at.forwarder.destinations()[0]!.paused.size > 0);
    at.store.commit();
    state.status = 200;
    at.clock.advance(30_000);
    expectRamp(await perSecond(at, accepted, 4));
  });

  it('again after each long outage that interrupts it', async () => {
    const { server, state, accepted } = await changing(503);
    const at = await scene([destinationOf(server.url)]);
    await goesDown(at);
    for (let time = 0; time < 3; time++) {
      const before = accepted.length;
      state.status = 200;
      await until(at, () => accepted.length > before);
      const [first] = await perSecond(at, accepted, 1);
      expect(first).toBeGreaterThan(50);
      expect(first).toBeLessThanOrEqual(maxAtFirst);
      state.status = 503;
      await until(at, () => isDown(at));
      at.clock.advance(10_000);
    }
  });

  it('and no slower after a short outage, as at an endpoint with a rate limit', async () => {
    const { server, state, accepted } = await changing(200, { 'Retry-After': '1' });
    const at = await scene([destinationOf(server.url)], await withBacklog(server));
    const [, second] = await perSecond(at, accepted, 2);
    state.status = 429;
    await until(at, () => at.forwarder.destinations()[0]!.paused.size > 0);
    state.status = 200;
    at.clock.advance(5_000);
    const [next] = await perSecond(at, accepted, 1);
    expect(next).toBeGreaterThan(second!);
  });

  it('at each destination on its own', async () => {
    const [good, bad] = [await changing(200), await changing(503)];
    const at = await scene([
      destinationOf(good.server.url, { name: 'good' }),
      destinationOf(bad.server.url, { name: 'bad' }),
    ]);
    await at.take(ids(backlog));
    await good.server.arrived(backlog);
    await until(at, () => isDown(at, 'bad'));
    at.store.commit();
    bad.state.status = 200;
    await until(at, () => bad.accepted.length > 0);
    const first = perSecond(at, bad.accepted, 1);
    await at.take(ids(backlog, backlog));
    await good.server.arrived(2 * backlog);
    expect((await first)[0]).toBeLessThanOrEqual(maxAtFirst);
  });
});

// The clock stands still in these: an event that has to wait would never arrive.
describe('events are not held back', () => {
  it('under load from the start', async () => {
    const { server } = await changing(200);
    const { take } = await scene([destinationOf(server.url)]);
    await take(ids(backlog));
    await server.arrived(backlog);
    expect(server.requests).toHaveLength(backlog);
  });

  it('when few have waited for an endpoint that was down', async () => {
    const { server, state, accepted } = await changing(503);
    const at = await scene([destinationOf(server.url)]);
    await goesDown(at, 500);
    state.status = 200;
    await until(at, () => accepted.length > 0);
    await server.arrived(500);
    expect(server.requests).toHaveLength(500);
  });

  it('when the backlog has been sent', async () => {
    const { server, accepted } = await changing(200);
    const at = await scene([destinationOf(server.url)], await withBacklog(server, 1_100));
    await passes(at, 4_000);
    at.store.commit();
    await passes(at, 10);
    expect(accepted).toHaveLength(1_100);
    await at.take(ids(backlog, backlog));
    await server.arrived(1_100 + backlog);
    expect(accepted).toHaveLength(1_100 + backlog);
  });

  it('while one of several URLs is up', async () => {
    const [up, flapping] = [await changing(200), await changing(503)];
    const at = await scene([destinationOf([up.server.url, flapping.server.url])]);
    await at.take(ids(backlog));
    await up.server.arrived(backlog);
    await until(at, () => isDown(at));
    flapping.state.status = 200;
    // The next event that comes once a probe is due.
    at.clock.advance(1_000);
    await at.take(['probe']);
    await until(at, () => flapping.accepted.length > 0);
    await at.take(ids(backlog, backlog));
    await up.server.arrived(2 * backlog + 1);
    expect(up.server.requests).toHaveLength(2 * backlog + 1);
  });
});

it('a service that is stopped while a backlog is sent slowly keeps the rest for the next start', async () => {
  const { server, accepted } = await changing(200);
  const { folder, clock } = await withBacklog(server);
  const first = await scene([destinationOf(server.url)], { folder, clock });
  await perSecond(first, accepted, 1);
  await first.stop();
  const sent = accepted.length;
  clock.advance(60_000);
  await nextTurn();
  expect(accepted).toHaveLength(sent);
  const second = await scene([destinationOf(server.url)], { folder, clock });
  expect(second.store.length('crm').waiting).toBe(backlog - sent);
  expectRamp(await perSecond(second, accepted, 4));
  expect(new Set(accepted)).toEqual(new Set(ids(backlog)));
});
