import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { systemNetwork, type Network } from '../../../src/http/network.js';
import type { DestinationState } from '../../../src/serve/forward/forwarder.js';
import { reply, startRawServer, type RawRequest } from '../../helpers/raw-server.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { destinationOf, ids } from '../batches.js';
import { scene } from './scene.js';

type State = DestinationState;
type Scene = Awaited<ReturnType<typeof scene>>;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const idOf = ({ body }: RawRequest): string =>
  (JSON.parse(body.toString()) as { messageId: string }).messageId;

/** A server whose response can be changed; by default it accepts. */
async function endpoint(first: (index: number) => string | undefined = () => reply(200)) {
  const state = { response: first };
  const accepted = new Set<string>();
  const attempted = new Set<string>();
  const server = await startRawServer({
    response: (request, index) => {
      const response = state.response(index);
      attempted.add(idOf(request));
      if (response?.startsWith('HTTP/1.1 200')) accepted.add(idOf(request));
      return response;
    },
  });
  return { server, state, accepted, attempted };
}

/** Goes on by this time in steps; what is on its way on loopback arrives in each. */
async function passes({ clock, store }: Scene, ms: number, stepMs = 100): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    for (let turn = 0; turn < 12; turn++) await nextTurn();
    store.commit();
  }
}

const silent = (): undefined => undefined;
const down = (): string => reply(503);
const paused = (): string => reply(429, { 'Retry-After': '3600' });

describe('two URLs, one of them in trouble', () => {
  it.each<[string, () => string | undefined]>([
    ['is paused for an hour', paused],
    ['hangs', silent],
    ['fails', down],
  ])(
    'the other one gets all events within the schedule after failures of its own: it %s',
    async (_what, response) => {
      for (const failures of [16, 64, 80]) {
        const troubled = await endpoint(response);
        const blip = await endpoint((index) => reply(index < failures ? 503 : 200));
        const at = await scene([destinationOf([troubled.server.url, blip.server.url])]);
        await at.take(ids(300));
        await passes(at, 2 * minute);
        expect(blip.accepted.size).toBe(300);
        expect(at.store.length('crm')).toMatchObject({ waiting: 0, retrying: 0 });
        await at.stop();
      }
    },
  );

  it('an event that one URL refuses waits for the other one in the store, and is then sent to it', async () => {
    const refusing = await endpoint(() => reply(404));
    const back = await endpoint(paused);
    const at = await scene([destinationOf([refusing.server.url, back.server.url])]);
    await at.take(ids(300));
    await passes(at, 10 * second);
    expect(refusing.attempted.size).toBe(300);
    expect(at.forwarder.destinations()[0]!.inFlight).toBe(0);
    back.state.response = () => reply(200);
    await passes(at, hour - minute, minute);
    await passes(at, 4 * minute, second);
    expect(back.accepted.size).toBe(300);
  });

  it('the one that is down is probed where nothing is due and no new event comes', async () => {
    const refusing = await endpoint(() => reply(404));
    const back = await endpoint(down);
    const at = await scene([destinationOf([refusing.server.url, back.server.url])]);
    await at.take(ids(300));
    await passes(at, 30 * minute, second);
    back.state.response = () => reply(200);
    // It is probed after a hundredth of the outage.
    await passes(at, 20 * second, second);
    expect(at.forwarder.destinations()[0]!.down).toEqual([]);
  });

  it('both down: the one that is up again gets a probe, whatever the other one does', async () => {
    const hanging = await endpoint(silent);
    const back = await endpoint(down);
    const at = await scene([destinationOf([hanging.server.url, back.server.url])]);
    await at.take(ids(300));
    await passes(at, minute);
    back.state.response = () => reply(200);
    await passes(at, 2 * minute);
    expect(back.accepted.size).toBe(300);
  });

  it('one down and one paused: what the first one refused is kept for the end of the pause', async () => {
    const asking = await endpoint((index) => reply(index === 0 ? 503 : 200));
    const refusing = await endpoint((index) => reply(index === 0 ? 404 : 503));
    const at = await scene([destinationOf([asking.server.url, refusing.server.url])]);
    await at.take(['refused']);
    await passes(at, second);
    // The other URL has these.
    await at.take(ids(16));
    await passes(at, second);
    asking.state.response = () => reply(429, { 'Retry-After': '60' });
    await at.take(['last']);
    // The one that is down wants probes, and the retry that is due first is none for it.
    await passes(at, 2 * second);
    expect(at.forwarder.destinations()).toMatchObject([
      { down: [refusing.server.url], paused: { size: 1 }, waiting: 2 },
    ]);
    asking.state.response = () => reply(200);
    await passes(at, 2 * minute);
    expect(asking.accepted).toContain('refused');
    expect(at.store.length('crm').waiting).toBe(0);
  });

  it('an event that one URL refused expires if the other one was down for more than 7 days', async () => {
    const refusing = await endpoint(() => reply(404));
    const back = await endpoint(paused);
    const destinations = [destinationOf([refusing.server.url, back.server.url])];
    const before = await scene(destinations);
    await before.take(['tried at both']);
    await passes(before, second);
    await before.take(['tried at one']);
    await passes(before, second);
    await before.stop();
    before.clock.advance(8 * 24 * hour);
    back.state.response = () => reply(200);
    const at = await scene(destinations, before);
    await passes(at, minute, second);
    const letters = at.store.views.deadLetters({ limit: 9 });
    expect(letters.map(({ messageId, code }) => [messageId, code]).sort()).toEqual([
      ['tried at both', 'status_429'],
      ['tried at one', 'expired'],
    ]);
    expect(back.accepted.size).toBe(0);
  });
});

describe('an outage', () => {
  it('of the service itself, which has no file left for connections, ends few events', async () => {
    const { server, accepted } = await endpoint();
    let hasFiles = false;
    const openTcp: Network['openTcp'] = (options) => {
      if (hasFiles) return systemNetwork.openTcp(options);
      const error = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return new Socket().destroy(error);
    };
    const network = { ...systemNetwork, openTcp };
    const at = await scene([destinationOf(server.url)], { delivery: { network } });
    await at.take(ids(500));
    await passes(at, minute);
    expect(at.store.length('crm')).toEqual({ waiting: 500, retrying: 16 });
    await passes(at, 5 * hour, minute);
    hasFiles = true;
    await passes(at, 5 * minute, second);
    expect(accepted.size).toBeGreaterThanOrEqual(480);
    expect(at.store.length('crm').waiting).toBe(0);
  });

  it.each<[string, () => string | undefined]>([
    ['an endpoint that fails', down],
    ['an endpoint that hangs', silent],
  ])('of ten hours ends few events, and all others are delivered: %s', async (_what, response) => {
    const { server, state, accepted, attempted } = await endpoint(response);
    const at = await scene([destinationOf(server.url)]);
    let taken = 0;
    for (let passed = 0; passed < 10 * hour; passed += minute) {
      await at.take(ids(5, taken));
      taken += 5;
      await passes(at, minute, passed < 5 * minute ? second : minute);
    }
    expect(attempted.size).toBeLessThanOrEqual(20);
    const { deadLetters } = countsOf(at);
    expect(deadLetters).toBeLessThanOrEqual(20);
    state.response = () => reply(200);
    await passes(at, 10 * minute, second);
    expect(accepted.size).toBe(taken - deadLetters);
    expect(at.store.length('crm')).toMatchObject({ waiting: 0 });
  });

  it('that goes on over restarts is probed with the same few events', async () => {
    const { server, state, accepted, attempted } = await endpoint(down);
    const clock = new VirtualClock();
    let at = await scene([destinationOf(server.url)], { clock });
    await at.take(ids(500));
    await passes(at, minute, second);
    const before = attempted.size;
    for (let restart = 0; restart < 5; restart++) {
      await at.stop();
      clock.advance(hour);
      at = await scene([destinationOf(server.url)], { clock, folder: at.folder });
      await passes(at, minute, second);
    }
    // Besides those at its beginning, one at each start, and one where the window of the earliest has ended.
    expect([before, attempted.size]).toEqual([17, expect.toSatisfy((n: number) => n <= 23)]);
    state.response = () => reply(200);
    await passes(at, 5 * minute, second);
    expect(accepted.size).toBeGreaterThanOrEqual(480);
    expect(at.store.length('crm').waiting).toBe(0);
  });

  it.each([429, 503])(
    'for which a %i asked lasts over restarts, of which each asks once',
    async (status) => {
      const asking = await endpoint(() => reply(status, { 'Retry-After': '3600' }));
      let at = await scene([destinationOf(asking.server.url)]);
      await at.take(ids(300));
      await passes(at, minute, second);
      const before = asking.server.requests.length;
      for (let restart = 0; restart < 3; restart++) {
        await at.stop();
        at = await scene([destinationOf(asking.server.url)], at);
        await passes(at, minute, second);
      }
      expect([before, asking.server.requests.length]).toEqual([16, 19]);
      expect(asking.attempted.size).toBe(16);
      expect(at.forwarder.destinations()[0]!.paused.size).toBe(1);
      asking.state.response = () => reply(200);
      await passes(at, hour + 10 * minute, second);
      expect(asking.accepted.size).toBe(300);
    },
  );

  it('for which one URL asked is not that of the URL in its place', async () => {
    const asking = await endpoint(() => reply(429, { 'Retry-After': '3600' }));
    const other = await endpoint();
    const before = await scene([destinationOf(asking.server.url)]);
    await before.take(ids(300));
    await passes(before, minute, second);
    await before.stop();
    const at = await scene([destinationOf(other.server.url)], before);
    await passes(at, minute, second);
    expect(other.accepted.size).toBeGreaterThanOrEqual(284);
  });

  it('of more than 7 days leaves nothing that is older, wherever it waits', async () => {
    const { server } = await endpoint(down);
    const at = await scene([destinationOf(server.url)]);
    await at.take(ids(300));
    await passes(at, minute, second);
    at.clock.set(7 * 24 * hour);
    await passes(at, 30 * minute, 10 * second);
    expect(at.store.length('crm').waiting).toBe(0);
  });

  it('that hangs, of one URL over a restart, holds up nothing at the other one', async () => {
    const hanging = await endpoint(silent);
    const healthy = await endpoint();
    const urls = [hanging.server.url, healthy.server.url];
    healthy.state.response = () => reply(503, { 'Retry-After': '300' });
    let at = await scene([destinationOf(urls)]);
    await at.take(ids(40));
    await passes(at, minute, second);
    await at.stop();
    at.clock.advance(minute);
    healthy.state.response = () => reply(200);
    at = await scene([destinationOf(urls)], at);
    await at.take(ids(100, 40));
    await passes(at, 4 * second);
    expect(ids(100, 40).filter((id) => !healthy.accepted.has(id))).toEqual([]);
  });

  it('is not taken for one for long where events fail for reasons of their own, also after a restart', async () => {
    const failing = new Set(ids(20));
    const accepted = new Set<string>();
    const server = await startRawServer({
      response: (request) => {
        if (failing.has(idOf(request))) return reply(500);
        accepted.add(idOf(request));
        return reply(200);
      },
    });
    let at = await scene([destinationOf(server.url)]);
    await at.take(ids(20));
    await passes(at, 5 * second);
    await at.take(ids(500, 20));
    await passes(at, minute);
    expect(accepted.size).toBe(500);
    await at.stop();
    const { clock, folder } = at;
    at = await scene([destinationOf(server.url)], { clock, folder });
    await at.take(ids(500, 520));
    await passes(at, 30 * second);
    expect(accepted.size).toBe(1_000);
  });

  it('has what waits for it looked at in parts, between which the service goes on', async () => {
    const refusing = await endpoint(() => reply(404));
    const back = await endpoint(down);
    const first = await scene([destinationOf([refusing.server.url, back.server.url])]);
    await first.take(ids(600));
    await passes(first, minute, second);
    expect(first.store.length('crm').retrying).toBe(600);
    await first.stop();
    first.clock.advance(hour);
    const { clock, folder } = first;
    const urls = [refusing.server.url, back.server.url];
    const at = await scene([destinationOf(urls)], { clock, folder, starts: false });
    const looked = vi.spyOn(at.store, 'retry');
    at.forwarder.start();
    const perTurn: number[] = [];
    const count = (): void => {
      perTurn.push(looked.mock.calls.length);
      looked.mockClear();
    };
    for (let passed = 0; passed < 10 * second; passed += 100) {
      clock.advance(100);
      count();
      for (let turn = 0; turn < 12; turn++) {
        await nextTurn();
        count();
      }
      at.store.commit();
    }
    const all = perTurn.reduce((sum, looks) => sum + looks, 0);
    expect([all >= 600, Math.max(...perTurn) <= 300]).toEqual([true, true]);
    looked.mockRestore();
    back.state.response = () => reply(200);
    await passes(at, 5 * minute, second);
    expect(back.accepted.size).toBeGreaterThan(560);
  });

  it('moves retries that fall due in it to its end, which the overview shows', async () => {
    const { server } = await endpoint((index) =>
      index === 0 ? reply(503) : reply(429, { 'Retry-After': '60' }),
    );
    const at = await scene([destinationOf(server.url)]);
    await at.take(['fails']);
    await passes(at, second);
    await at.take(['asks']);
    await passes(at, second);
    const [{ nextRetryAt: before, paused: pauses }] = at.forwarder.destinations() as [State];
    const [end] = [...pauses.values()];
    await passes(at, 10 * second);
    const [{ nextRetryAt }] = at.forwarder.destinations() as [State];
    expect([before! < end!, nextRetryAt]).toEqual([true, end]);
  });

  it('keeps no events in hand: what had a place and was not attempted goes back to the store', async () => {
    const { server, state, accepted } = await endpoint(down);
    const at = await scene([destinationOf(server.url)]);
    await at.take(ids(200));
    await passes(at, minute, second);
    expect(at.forwarder.destinations()[0]!.inFlight).toBeLessThanOrEqual(1);
    state.response = () => reply(200);
    await passes(at, 2 * minute, second);
    expect(accepted.size).toBe(200);
  });
});

function countsOf({ store }: Scene): { deadLetters: number } {
  const failed = store.counts().filter(({ what }) => what === 'failed');
  return { deadLetters: failed.reduce((sum, { count }) => sum + count, 0) };
}
