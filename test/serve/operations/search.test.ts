import { afterEach, describe, expect, it } from 'vitest';
import type { SearchResult } from '../../../src/api/serve.js';
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

/** The number of rows of each kind that has any. */
function kinds(result: SearchResult): Record<string, number> {
  const { queued, waiting, deadLetters, rejected, history } = result;
  const all = Object.entries({ queued, waiting, deadLetters, rejected, history });
  return Object.fromEntries(all.flatMap(([kind, { length }]) => (length ? [[kind, length]] : [])));
}

describe('a search for an event finds', () => {
  it('its result at each destination, also after a restart', async () => {
    const routing = {
      sources: [source('web', { destinations: ['crm', 'erp', 'slow', 'off'] })],
      destinations: [
        destination('crm', await responding(200)),
        destination('erp', await responding(422)),
        destination('slow', await responding(503)),
        destination('off', 'http://127.0.0.1:9/', { isEnabled: false }),
      ],
    };
    const first = await serving(routing);
    await first.send([track(1), track(2)]);
    const isDone = ({ history, waiting }: SearchResult) =>
      history.length === 3 && waiting.length === 1;
    await until(() => finding(first)('m1'), isDone);
    await first.stop();
    const find = finding(await serving(routing, { stateDir: first.stateDir }));
    const found = await find('m1');
    const bySorted = [...found.history].sort((a, b) => (a.destination! < b.destination! ? -1 : 1));
    expect(bySorted).toMatchObject([
      { destination: 'crm', state: 'delivered', tries: 1, status: 200, user: 'u1', name: 'E1' },
      { destination: 'erp', state: 'failed', status: 422, code: 'status_422' },
      { destination: 'off', state: 'skipped', code: 'destination_disabled', tries: 0 },
    ]);
    expect(found.waiting).toMatchObject([{ destination: 'slow', status: 503, tries: 1 }]);
    expect(found.deadLetters).toMatchObject([{ destination: 'erp', lastStatus: 422 }]);
    expect(found).toMatchObject({ isComplete: true, seen: [{ source: 'web' }] });
    expect(Date.parse(found.historyFrom!)).toBeLessThanOrEqual(Date.now());
    expect(kinds(await find('U2'))).toEqual({ history: 3, deadLetters: 1, waiting: 1 });
    expect(kinds(await find('m1', '&destination=erp'))).toEqual({ history: 1, deadLetters: 1 });
    expect(kinds(await find('m1', '&source=app'))).toEqual({});
  });

  it('that it waits for its first attempt, why, and until when', async () => {
    const hanging = await responding();
    const serve = await serving(simple(hanging), { delivery: { concurrency: 1 } });
    const find = finding(serve);
    await serve.send([track(1), track(2, { anonymousId: 'anon-2' })]);
    const [row] = (await find('m2')).queued;
    expect(row).toMatchObject({ destination: 'crm', messageId: 'm2', code: 'queued' });
    expect(row!.message).toBe('in a queue of 2 events');
    expect(kinds(await find('ANON-2'))).toEqual({ queued: 1 });
    const off = serve.reroute(simple(hanging, { isEnabled: false }));
    const isOff = ({ queued: [it] }: SearchResult) => it?.code === 'destination_off';
    expect((await until(() => find('m2'), isOff)).queued[0]!.message).toMatch(
      /when it is switched on/,
    );
    await receivers.pop()!.close();
    await off;
    await serve.reroute({ sources: [source('web', { destinations: [] })], destinations: [] });
    expect((await find('m2')).queued).toMatchObject([{ code: 'destination_removed' }]);
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
    const isPaused = ({ queued: [it] }: SearchResult) => it?.code === 'endpoint_paused';
    const { queued } = await until(() => find('m2'), isPaused);
    const end = queued[0]!.until!;
    expect(queued[0]!.message).toBe(`the endpoint asked for a pause until ${end}; sent after that`);
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
    expect((await find('bad')).rejected).toMatchObject([{ code: 'missing_event' }]);
    const found = await until(
      () => find('m1'),
      ({ history }) => history.length === 3,
    );
    expect(found.history.map(({ source: of, state, code }) => [of, state, code]).sort()).toEqual([
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
    await until(
      () => find('m1'),
      ({ history }) => history.length === 1,
    );
    const none = await find('m99');
    expect([kinds(none), none.seen]).toEqual([{}, []]);
    expect(none.historyFrom).not.toBeNull();
  });

  it('a dead letter after thousands of others', async () => {
    const serve = await serving(simple(await responding(400)));
    await serve.send([track(0, { messageId: 'needle' })]);
    const find = finding(serve);
    await until(
      () => find('needle'),
      ({ deadLetters }) => deadLetters.length === 1,
    );
    for (let i = 0; i < 6; i++) {
      await serve.send(Array.from({ length: 450 }, (_, j) => track(1 + i * 450 + j)));
    }
    const isAll = ({ destinations: [crm] }: { destinations: { deadLetters: number }[] }) =>
      crm!.deadLetters === 2_701;
    await until(() => serve.api('overview'), isAll);
    expect((await find('needle')).deadLetters).toMatchObject([{ messageId: 'needle' }]);
    const many = await find('track');
    expect([many.isComplete, many.deadLetters.length]).toEqual([false, 500]);
  });

  it.each(['', '&x=1'])('nothing without a text (%s)', async (query) => {
    const { url } = await serving(simple('http://127.0.0.1:9/'));
    expect((await fetch(`${url}/_evfwd/api/search?search=${query}`)).status).toBe(400);
  });
});
