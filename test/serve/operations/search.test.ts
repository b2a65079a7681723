import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EventAtDestination, EventState, SearchResult } from '../../../src/api/serve.js';
import { Searcher } from '../../../src/serve/operations/search.js';
import { withResolvers } from '../../../src/with-resolvers.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';
import { destination, serving, simple, source, track, until, type Serving } from '../serving.js';

const receivers: Receiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function responding(status?: number): Promise<string> {
  const receiver = await startReceiver(() => (status === undefined ? undefined : { status }));
  receivers.push(receiver);
  return receiver.url;
}

type Find = (search: string, more?: string) => Promise<SearchResult>;

function finding({ api }: Serving): Find {
  return (search, more = '') => api(`search?search=${encodeURIComponent(search)}${more}`);
}

/** The events found in a state. */
function inState({ events }: SearchResult, ...states: EventState[]): EventAtDestination[] {
  return events.filter(({ state }) => states.includes(state));
}

/** The number of events of each state that any has. */
function counts({ events }: SearchResult): Partial<Record<EventState, number>> {
  const count: Partial<Record<EventState, number>> = {};
  for (const { state } of events) count[state] = (count[state] ?? 0) + 1;
  return count;
}

const isEnded = (result: SearchResult): boolean =>
  inState(result, 'delivered', 'failed', 'skipped', 'repeated').length > 0;

describe('a search for an event finds', () => {
  it('its result at each destination, also after a restart', async () => {
    const routing = {
      sources: [
        source('web', { destinations: ['crm', 'erp', 'slow', 'off'] }),
        source('app', { destinations: ['crm'] }),
      ],
      destinations: [
        destination('crm', await responding(200)),
        destination('erp', await responding(422)),
        destination('slow', await responding(503)),
        destination('off', 'http://127.0.0.1:9/', { isEnabled: false }),
      ],
    };
    const first = await serving(routing);
    await first.send([track(1), track(2)]);
    const isDone = (result: SearchResult) =>
      result.events.length === 4 && counts(result).queued === undefined;
    await until(() => finding(first)('m1'), isDone);
    await first.stop();
    const find = finding(await serving(routing, { stateDir: first.stateDir }));
    const found = await find('m1');
    const bySorted = [...found.events].sort((a, b) => (a.destination! < b.destination! ? -1 : 1));
    expect(bySorted).toMatchObject([
      { destination: 'crm', state: 'delivered', attempts: 1, status: 200, user: 'u1', name: 'E1' },
      { destination: 'erp', state: 'failed', status: 422, code: 'status_422' },
      { destination: 'off', state: 'skipped', code: 'destination_disabled', attempts: 0 },
      { destination: 'slow', state: 'retrying', status: 503, attempts: 1 },
    ]);
    expect(found).toMatchObject({ isComplete: true, seen: [{ source: 'web' }] });
    expect(Date.parse(found.historyFrom!)).toBeLessThanOrEqual(Date.now());
    const all = { delivered: 1, failed: 1, skipped: 1, retrying: 1 };
    expect(counts(await find('U2'))).toEqual(all);
    expect(counts(await find('m1', '&destination=erp'))).toEqual({ failed: 1 });
    expect(counts(await find('m1', '&source=app'))).toEqual({});
  });

  it('that it waits for its first attempt, why, and until when', async () => {
    const hanging = await responding();
    const serve = await serving(simple(hanging), { delivery: { concurrency: 1 } });
    const find = finding(serve);
    await serve.send([track(1), track(2, { anonymousId: 'anon-2' })]);
    const [row] = (await find('m2')).events;
    expect(row).toMatchObject({
      destination: 'crm',
      messageId: 'm2',
      state: 'queued',
      code: 'queued',
    });
    expect(row!.message).toBe('in a queue of 2 events');
    expect(counts(await find('ANON-2'))).toEqual({ queued: 1 });
    const off = serve.reroute(simple(hanging, { isEnabled: false }));
    const isOff = ({ events: [it] }: SearchResult) => it?.code === 'destination_off';
    expect((await until(() => find('m2'), isOff)).events[0]!.message).toMatch(
      /when it is switched on/,
    );
    await receivers.pop()!.close();
    await off;
    await serve.reroute({ sources: [source('web', { destinations: [] })], destinations: [] });
    expect((await find('m2')).events).toMatchObject([{ code: 'destination_removed' }]);
  });

  it('that it waits for the end of a pause, and when that is', async () => {
    const receiver = await startReceiver(() => ({
      status: 429,
      headers: { 'retry-after': '900' },
    }));
    receivers.push(receiver);
    const serve = await serving(simple(receiver.url), { delivery: { concurrency: 1 } });
    const find = finding(serve);
    await serve.send([track(1), track(2)]);
    const isPaused = ({ events: [it] }: SearchResult) => it?.code === 'endpoint_paused';
    const { events } = await until(() => find('m2'), isPaused);
    const end = events[0]!.nextAt!;
    expect(events[0]!.message).toBe(`the endpoint asked for a pause until ${end}; sent after that`);
    expect(Date.parse(end)).toBeGreaterThan(Date.now());
  });

  it('that it was rejected, repeated, or had no destination', async () => {
    const serve = await serving({
      sources: [source('web'), source('app', { destinations: [] })],
      destinations: [destination('crm', await responding(200))],
    });
    const find = finding(serve);
    await serve.send([{ type: 'track', userId: 'bad' }, track(1), track(1)]);
    await serve.send([track(1)], 'k-app');
    expect((await find('bad')).events).toMatchObject([
      { state: 'rejected', code: 'missing_event', user: 'bad', type: 'track' },
    ]);
    const found = await until(
      () => find('m1'),
      ({ events }) => events.length === 3 && events.every(({ state }) => state !== 'queued'),
    );
    expect(found.events.map(({ source: of, state, code }) => [of, state, code]).sort()).toEqual([
      ['app', 'skipped', 'no_destination'],
      ['web', 'delivered', null],
      ['web', 'repeated', 'repeated'],
    ]);
    expect(found.seen.map(({ source: of }) => of).sort()).toEqual(['app', 'web']);
  });

  it('nothing when there is nothing, and from when the history is complete', async () => {
    const serve = await serving(simple(await responding(200)));
    const find = finding(serve);
    expect(await find('m1')).toMatchObject({ historyFrom: null, seen: [], isComplete: true });
    await serve.send([track(1)]);
    await until(() => find('m1'), isEnded);
    const none = await find('m99');
    expect([counts(none), none.seen]).toEqual([{}, []]);
    expect(none.historyFrom).not.toBeNull();
  });

  it('a dead letter after thousands of others', async () => {
    const serve = await serving(simple(await responding(400)));
    await serve.send([track(0, { messageId: 'needle' })]);
    const find = finding(serve);
    await until(() => find('needle'), isEnded);
    for (let i = 0; i < 6; i++) {
      await serve.send(Array.from({ length: 450 }, (_, j) => track(1 + i * 450 + j)));
    }
    const isAll = ({ destinations: [crm] }: { destinations: { deadLetters: number }[] }) =>
      crm!.deadLetters === 2_701;
    await until(() => serve.api('overview'), isAll);
    expect((await find('needle')).events).toMatchObject([{ messageId: 'needle', state: 'failed' }]);
    const many = await find('track');
    expect(many.isComplete).toBe(false);
    expect(many.events.length).toBeGreaterThanOrEqual(500);
    expect(many.events.length).toBeLessThanOrEqual(1_000);
  });

  it.each(['', '&x=1'])('nothing without a text (%s)', async (query) => {
    const { url } = await serving(simple('http://127.0.0.1:9/'));
    expect((await fetch(`${url}/_evfwd/api/search?search=${query}`)).status).toBe(400);
  });
});

it('a search ends when its client has disconnected', async () => {
  const { url } = await serving(simple('http://127.0.0.1:9/'));
  const { promise, resolve } = withResolvers();
  const search = vi
    .spyOn(Searcher.prototype, 'search')
    .mockReturnValueOnce(promise.then(() => ({}) as SearchResult));
  const client = new AbortController();
  const response = fetch(`${url}/_evfwd/api/search?search=a`, { signal: client.signal });
  await expect.poll(() => search.mock.calls.length).toBe(1);
  const [, isAborted] = search.mock.calls[0]!;
  expect(isAborted()).toBe(false);
  client.abort();
  await expect(response).rejects.toThrow();
  await expect.poll(isAborted).toBe(true).finally(resolve);
  search.mockRestore();
});
