import { describe, expect, it } from 'vitest';
import type { KeepSettings } from '../../../src/serve/kept/settings.js';
import type { Routing } from '../../../src/serve/types.js';
import { folderWith } from '../../helpers/folder.js';
import { startReceiver, type Receiver, type ReceiverResponse } from '../../helpers/receiver.js';
import { withResolvers } from '../../../src/with-resolvers.js';
import { afterEachTest } from '../../helpers/after-each.js';
import { destinationOf } from '../batches.js';
import { routingOf } from '../raw/relaying.js';
import { drained, json, serving, source, type Serving } from '../serving.js';

const keep: KeepSettings = {
  ...{ retentionMs: 86_400_000, maxBytes: 1024 ** 3, ofDestinations: new Map() },
};

const receivers: Receiver[] = [];
afterEachTest(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function receiving(response: () => ReceiverResponse = () => ({})): Promise<Receiver> {
  const receiver = await startReceiver(response);
  receivers.push(receiver);
  return receiver;
}

const eventsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ type: 'track', userId: `u${(from + i) % 2}`, event: `E${(from + i) % 2}` },
    messageId: `m${from + i}`,
  }));

const idsAt = (receiver: Receiver): string[] =>
  receiver.json().map(({ messageId }: { messageId: string }) => messageId);

const post = (at: Serving, body: object, query = ''): Promise<Response> =>
  fetch(`${at.url}/_evfwd/api/replays${query}`, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { 'Content-Type': 'application/json' },
  });

const ended = (at: Serving, id: string) =>
  expect
    .poll(async () => {
      const { replays } = await at.api('replays');
      return replays.find((one: { id: string }) => one.id === id).state;
    })
    .toBe('finished');

const empty = (at: Serving) =>
  expect
    .poll(async () =>
      (await at.api('overview')).destinations.map((one: { queued: number }) => one.queued),
    )
    .not.toContain(1);

async function delivered(count: number, more: Partial<Routing> = {}) {
  const receiver = await receiving();
  const routing: Routing = {
    sources: [source('web')],
    destinations: [destinationOf(receiver.url)],
    ...{ keep, ...more },
  };
  const at = await serving(routing);
  await at.send(eventsOf(count));
  await receiver.atLeast(count);
  await drained(at);
  return { at, receiver, routing };
}

describe('a replay', () => {
  it('sends kept events again, with their messageIds and its id in a header', async () => {
    const { at, receiver } = await delivered(3);
    const first = receiver.requests.map(({ body }) => body.toString()).sort();
    expect(await (await post(at, { destination: 'crm' }, '?preview')).json()).toEqual({
      ...{ events: 3, isComplete: true, waiting: 0, running: [] },
    });
    const response = await post(at, { destination: 'crm', state: 'delivered' });
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    await receiver.atLeast(6);
    await ended(at, id);
    const again = receiver.requests.slice(3);
    expect(again.map(({ body }) => body.toString()).sort()).toEqual(first);
    expect(again.map(({ headers }) => headers['x-evfwd-replay'])).toEqual([id, id, id]);
    expect(receiver.requests[0]!.headers['x-evfwd-replay']).toBeUndefined();
    const { replays } = await at.api('replays');
    expect(replays).toMatchObject([
      { id, destination: 'crm', sent: 3, total: 3, skipped: 0, state: 'finished' },
    ]);
    // What was replayed is not kept once more.
    expect(await (await post(at, { destination: 'crm' }, '?preview')).json()).toMatchObject({
      events: 3,
    });
  });

  it('sends what is selected', async () => {
    const { at } = await delivered(5);
    const count = async (more: object): Promise<number> => {
      const found = await post(at, { destination: 'crm', ...more }, '?preview');
      return ((await found.json()) as { events: number }).events;
    };
    expect(await count({ events: ['E1'] })).toBe(2);
    expect(await count({ users: ['u0'] })).toBe(3);
    expect(await count({ types: ['page'] })).toBe(0);
    expect(await count({ where: ['messageId=m3'] })).toBe(1);
    expect(await count({ until: '2020-01-01T00:00:00Z' })).toBe(0);
    expect(await count({ since: '2020-01-01T00:00:00Z' })).toBe(5);
    expect(await count({ state: 'dead' })).toBe(0);
  });

  it('of dead letters leaves none once they are delivered', async () => {
    let status = 404;
    const receiver = await receiving(() => ({ status }));
    const at = await serving({
      ...{ sources: [source('web')], destinations: [destinationOf(receiver.url)], keep },
    });
    await at.send(eventsOf(2));
    const letters = async () => (await at.api('dead-letters')).total;
    await expect.poll(letters).toBe(2);
    status = 200;
    await at.send(eventsOf(1, 2));
    await receiver.atLeast(3);
    const { id } = (await (await post(at, { destination: 'crm', state: 'dead' })).json()) as {
      id: string;
    };
    await receiver.atLeast(5);
    await ended(at, id);
    expect(idsAt(receiver).slice(3).sort()).toEqual(['m0', 'm1']);
    await expect.poll(letters).toBe(0);
  });

  it('keeps its header over a retry', async () => {
    let isDown = false;
    const receiver = await receiving(() => ({ status: isDown ? 503 : 200 }));
    const at = await serving(
      { sources: [source('web')], destinations: [destinationOf(receiver.url)], keep },
      { delivery: { retryDelaysMs: [10] } },
    );
    await at.send(eventsOf(1));
    await receiver.atLeast(1);
    await empty(at);
    isDown = true;
    const { id } = (await (await post(at, { destination: 'crm' })).json()) as { id: string };
    await receiver.atLeast(2);
    isDown = false;
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(2);
    expect(receiver.requests.at(-1)!.headers['x-evfwd-replay']).toBe(id);
  });

  it('neither counts nor sends what an event turns off, or no endpoint wants', async () => {
    const { at, receiver, routing } = await delivered(4);
    const added = await receiving();
    const [event] = eventsOf(1, 4);
    await at.send([{ ...event, integrations: { Webhooks: false } }]);
    const shop = destinationOf(added.url, { name: 'shop' });
    await at.reroute({
      sources: [source('web', { destinations: ['crm', 'shop'] })],
      destinations: [
        ...routing.destinations,
        { ...shop, endpoints: [{ ...shop.endpoints[0]!, events: ['E0'] }] },
      ],
      keep,
    });
    const count = await (await post(at, { destination: 'shop' }, '?preview')).json();
    expect(count).toMatchObject({ events: 2 });
    const { id } = (await (await post(at, { destination: 'shop' })).json()) as { id: string };
    await ended(at, id);
    await added.atLeast(2);
    expect(idsAt(added).sort()).toEqual(['m0', 'm2']);
    expect(receiver.requests).toHaveLength(4);
  });

  it('skips the events of a user who is deleted meanwhile, those included that it had read', async () => {
    let isHanging = false;
    const held: (() => void)[] = [];
    const receiver = await startReceiver(() =>
      isHanging ? new Promise((resolve) => held.push(() => resolve({}))) : {},
    );
    receivers.push(receiver);
    const at = await serving({
      ...{ sources: [source('web')], destinations: [destinationOf(receiver.url)], keep },
    });
    for (let from = 0; from < 900; from += 300) await at.send(eventsOf(300, from));
    await receiver.atLeast(900);
    await drained(at);
    isHanging = true;
    const { id } = (await (await post(at, { destination: 'crm' })).json()) as { id: string };
    const row = async () => (await at.api('replays')).replays[0];
    await expect.poll(async () => (await row()).sent).toBeGreaterThanOrEqual(512);
    expect(await row()).toMatchObject({ state: 'running', total: 900, skipped: 0 });
    expect((await at.api('overview')).kept).toMatchObject({ runningReplays: 1 });
    const { sent } = (await row()) as { sent: number };
    await at.api('deletions', { method: 'POST', body: '{"userId":"u1"}' });
    const left = async () =>
      (await post(at, { destination: 'crm', users: ['u1'] }, '?preview')).json();
    await expect.poll(left).toMatchObject({ events: 0, running: [id] });
    isHanging = false;
    for (const release of held) release();
    await ended(at, id);
    const ofOthers = (900 - sent) / 2;
    expect(await row()).toMatchObject({ sent: sent + ofOthers, total: 900, skipped: ofOthers });
  });

  it('to a destination to which another one runs is begun, and says so', async () => {
    const { at } = await delivered(50);
    const first = (await (await post(at, { destination: 'crm', rate: '1/s' })).json()) as object;
    expect(first).toMatchObject({ running: [], waiting: 0 });
    const { id } = first as { id: string };
    const preview = await (await post(at, { destination: 'crm' }, '?preview')).json();
    expect(preview).toMatchObject({ events: 50, running: [id] });
    const second = await (await post(at, { destination: 'crm' })).json();
    expect(second).toMatchObject({ running: [id] });
    await ended(at, (second as { id: string }).id);
  });

  it.each(['', '?preview'])('is refused where nothing is kept: %s', async (query) => {
    const { at, routing } = await delivered(1);
    await at.reroute({ ...routing, keep: { ...keep, retentionMs: 0 } });
    const response = await post(at, { destination: 'crm' }, query);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error: { code: 'nothing_kept' } });
  });

  it('fills a destination that was added later, and leaves others alone', async () => {
    const { at, receiver, routing } = await delivered(3);
    const added = await receiving();
    await at.reroute({
      ...routing,
      sources: [source('web', { destinations: ['crm', 'shop'] })],
      destinations: [...routing.destinations, destinationOf(added.url, { name: 'shop' })],
    });
    await post(at, { destination: 'shop' });
    await added.atLeast(3);
    expect(idsAt(added).sort()).toEqual(['m0', 'm1', 'm2']);
    expect(receiver.requests).toHaveLength(3);
  });

  it('goes on after a restart where it was, each event once', async () => {
    const stateDir = folderWith();
    const receiver = await receiving();
    const routing: Routing = {
      ...{ sources: [source('web')], destinations: [destinationOf(receiver.url)], keep },
    };
    const first = await serving(routing, { stateDir });
    await first.send(eventsOf(60));
    await receiver.atLeast(60);
    await drained(first);
    const created = await post(first, { destination: 'crm', rate: '100/s' });
    const { id } = (await created.json()) as { id: string };
    await receiver.atLeast(70);
    await first.stop();
    const before = receiver.requests.length - 60;
    expect(before).toBeLessThan(60);
    const second = await serving(routing, { stateDir });
    await receiver.atLeast(120);
    await ended(second, id);
    expect(receiver.requests).toHaveLength(120);
    expect(new Set(idsAt(receiver).slice(60)).size).toBe(60);
  });

  it('with a rate queues no more than that while its destination has asked for a pause', async () => {
    let respond = (): ReceiverResponse => ({});
    const receiver = await receiving(() => respond());
    const at = await serving({
      ...{ sources: [source('web')], destinations: [destinationOf(receiver.url)], keep },
    });
    await at.send(eventsOf(800));
    await receiver.atLeast(800);
    await drained(at);
    const sent = async (): Promise<number> => (await at.api('replays')).replays[0].sent;
    const paused = withResolvers();
    const goesOn = withResolvers();
    respond = () => {
      const since = performance.now();
      paused.resolve();
      respond = () => {
        if (performance.now() - since > 900) goesOn.resolve();
        return {};
      };
      return { status: 429, headers: { 'Retry-After': '1' } };
    };
    await post(at, { destination: 'crm', rate: '200/s' });
    await paused.promise;
    const before = await sent();
    await goesOn.promise;
    expect((await sent()) - before).toBeLessThan(100);
  });

  it('that is stopped sends nothing more', async () => {
    const { at, receiver } = await delivered(50);
    const created = await post(at, { destination: 'crm', rate: '10/s' });
    const { id } = (await created.json()) as { id: string };
    await receiver.atLeast(51);
    const stopped = await at.api(`replays/${id}`, { method: 'DELETE' });
    expect(stopped).toMatchObject({ id, state: 'stopped' });
    const { sent } = stopped as { sent: number };
    await receiver.atLeast(50 + sent);
    expect(sent).toBeLessThan(50);
    expect(await at.api(`replays/${id}`, { method: 'DELETE' })).toMatchObject({
      state: 'stopped',
      sent,
    });
  });

  it('says in the log how it begins, goes on after a restart, and ends', async () => {
    const stateDir = folderWith();
    const receiver = await receiving();
    const routing: Routing = {
      ...{ sources: [source('web')], destinations: [destinationOf(receiver.url)], keep },
    };
    const first = await serving(routing, { stateDir });
    await first.send(eventsOf(40));
    await receiver.atLeast(40);
    await empty(first);
    const of = async (body: object): Promise<string> =>
      ((await (await post(first, { destination: 'crm', ...body })).json()) as { id: string }).id;
    const whole = await of({});
    await ended(first, whole);
    const slow = await of({ rate: '50/s' });
    await receiver.atLeast(85);
    const ofReplays = (at: Serving): string[] =>
      at.logged.filter((line) => line.includes('"replay"'));
    await first.stop();
    const second = await serving(routing, { stateDir });
    for (const id of [slow, slow, whole]) await second.api(`replays/${id}`, { method: 'DELETE' });
    const about = (id: string, more: object): string =>
      JSON.stringify({ replay: id, destination: 'crm', ...more });
    expect(ofReplays(first)).toEqual([
      `info replay started ${about(whole, { total: 40 })}`,
      `info replay finished ${about(whole, { sent: 40 })}`,
      `info replay started ${about(slow, { total: 40 })}`,
    ]);
    expect(ofReplays(second)).toEqual([
      expect.stringMatching(/^info replay resumed .*"total":40,"sent":\d+/),
      expect.stringMatching(/^info replay stopped .*"sent":\d+/),
    ]);
  });

  it.each<[object, number, string]>([
    [{}, 400, 'destination'],
    [{ destination: 'crm', speed: 1 }, 400, 'speed is not a member of a replay'],
    [{ destination: 'crm', rate: 'fast' }, 400, 'rate must be like 500/s'],
    [{ destination: 'crm', since: 'monday' }, 400, 'since must be a time'],
    [{ destination: 'crm', where: ['!a=b'] }, 400, 'where'],
    [{ destination: 'crm', types: ['call'] }, 400, 'types must be a list of types'],
    [{ destination: 'none' }, 404, 'no such destination; it has crm, off, refused'],
    [{ destination: 'cmr' }, 404, 'did you mean crm?'],
    [{ destination: 'off' }, 409, 'set enabled: true in the configuration file'],
    [{ destination: 'refused' }, 409, 'destination_refused'],
    [{ destination: 'refused' }, 409, 'tls.cert cannot be read'],
    [{ destination: 'crm', since: '1h', until: '2h' }, 400, 'since ('],
    [
      { destination: 'crm', since: '2026-11-27', until: '2026-11-26' },
      400,
      'is later than until (',
    ],
    [{ destination: 'crm', since: '1h', until: '1h' }, 400, 'until is exclusive'],
    [{ destination: 'crm', since: '9999-01-01' }, 400, 'is in the future, so nothing is after it'],
    [
      { destination: 'crm', since: '2026-11-28', until: '2026-11-28' },
      400,
      'for a whole day, the next day',
    ],
  ])('%j is refused: %i', async (body, status, text) => {
    const at = await serving({
      sources: [source('web')],
      destinations: [
        destinationOf('http://127.0.0.1:1/'),
        destinationOf('http://127.0.0.1:1/', { name: 'off', isEnabled: false }),
        destinationOf('http://127.0.0.1:1/', {
          name: 'refused',
          refusal: 'tls.cert cannot be read',
        }),
      ],
      keep,
    });
    for (const query of ['', '?preview']) {
      const response = await post(at, body, query);
      expect(response.status).toBe(status);
      expect(await response.text()).toContain(text);
    }
    expect((await at.api('replays')).replays).toEqual([]);
  });

  it('to a destination that is off says where that is set, and begins once it is on', async () => {
    const receiver = await receiving();
    const messageOf = async (at: Serving): Promise<string> => {
      const response = await post(at, { destination: 'crm' });
      expect(response.status).toBe(409);
      return ((await response.json()) as { error: { message: string } }).error.message;
    };
    const routing = (isEnabled: boolean) => ({
      sources: [source('web')],
      destinations: [destinationOf(receiver.url, { isEnabled })],
      keep,
    });
    const inFile = await serving(routing(false));
    expect(await messageOf(inFile)).toBe(
      'the destination is off in the configuration file (enabled: false); set enabled: true in the configuration file, or switch it on, before a replay',
    );
    const byHand = await serving(routing(true));
    await byHand.api('destinations/crm', json('PUT', { enabled: false }));
    expect(await messageOf(byHand)).toBe('the destination is off; switch it on before a replay');
    await inFile.send(eventsOf(1));
    await inFile.api('destinations/crm', json('PUT', { enabled: true }));
    expect((await post(inFile, { destination: 'crm' })).status).toBe(202);
    await receiver.atLeast(1);
  });

  it.each<[object, string]>([
    [
      { where: ['headers.x=1'] },
      'where: requests have no "headers.x"; did you mean "header.x"? (method, path, header.<name> or body.<path>)',
    ],
    [
      { where: ['method=POST', 'userId=u1'] },
      'where: requests have no "userId"; use method, path, header.<name> or body.<path>',
    ],
    [
      { types: ['track'] },
      'types: all sources of this destination are raw, and their requests have no type; leave it out, or use where',
    ],
    [
      { events: ['E1'] },
      'events: all sources of this destination are raw, and their requests have no event; leave it out, or use where',
    ],
    [
      { users: ['u1'] },
      'users: all sources of this destination are raw, and their requests have no user; leave it out, or use where',
    ],
  ])('of requests alone cannot select by %j', async (selection, message) => {
    const routing = await routingOf(`sources:
  web: { writeKey: k-web, destinations: [both] }
  hooks: { type: raw, path: /in/hooks, destinations: [app, both] }
destinations:
  app: { allowPrivateNetworks: true, endpoints: [{ url: 'http://127.0.0.1:1/' }] }
  both: { allowPrivateNetworks: true, endpoints: [{ url: 'http://127.0.0.1:1/' }] }
`);
    const at = await serving({ ...routing, keep });
    for (const query of ['', '?preview']) {
      const response = await post(at, { destination: 'app', ...selection }, query);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: { code: 'bad_request', message } });
    }
    expect((await at.api('replays')).replays).toEqual([]);
    expect((await post(at, { destination: 'both', ...selection }, '?preview')).status).toBe(200);
    const fitting = { destination: 'app', where: ['header.x=1', 'body.kind=a'] };
    expect((await post(at, fitting, '?preview')).status).toBe(200);
  });

  it.each([
    ['?prevew', 'unknown name in the query: "prevew"; did you mean preview? (one of preview)'],
    ['?preview=1&dry=1', 'unknown name in the query: "dry"; use one of preview'],
  ])('does not begin with %s, whose name is unknown', async (query, message) => {
    const { at } = await delivered(1);
    const response = await post(at, { destination: 'crm' }, query);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: { code: 'unknown_query', message } });
    expect((await at.api('replays')).replays).toEqual([]);
  });

  it.each(['false', '0', 'no', 'TRUE'])(
    'neither counts nor begins with ?preview=%s',
    async (value) => {
      const { at } = await delivered(1);
      const response = await post(at, { destination: 'crm' }, `?preview=${value}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: {
          code: 'bad_request',
          message: 'preview must be empty, 1 or true; leave it out to begin the replay',
        },
      });
      expect((await at.api('replays')).replays).toEqual([]);
    },
  );

  it.each(['', '=', '=1', '=true'])('only counts with ?preview%s', async (value) => {
    const { at } = await delivered(1);
    const response = await post(at, { destination: 'crm' }, `?preview${value}`);
    expect(await response.json()).toMatchObject({ events: 1 });
    expect((await at.api('replays')).replays).toEqual([]);
  });

  it.each(['1h', '2020-01-01', '99999999d'])(
    'takes the times that export takes: %s',
    async (since) => {
      const { at } = await delivered(3);
      const count = await post(at, { destination: 'crm', since }, '?preview');
      expect(await count.json()).toMatchObject({ events: 3 });
      const turned = await post(at, { destination: 'crm', until: since }, '?preview');
      expect(await turned.json()).toMatchObject({ events: 0 });
    },
  );

  it.each([undefined, 'application/x-www-form-urlencoded', 'text/plain'])(
    'takes its body as a deletion does, with Content-Type %s',
    async (type) => {
      const { at } = await delivered(1);
      const response = await fetch(`${at.url}/_evfwd/api/replays?preview`, {
        method: 'POST',
        // A text would get a type.
        body: Buffer.from('{"destination":"crm"}'),
        headers: type === undefined ? {} : { 'Content-Type': type },
      });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ events: 1 });
    },
  );

  it('that is unknown cannot be stopped', async () => {
    const { at } = await delivered(1);
    const response = await fetch(`${at.url}/_evfwd/api/replays/none`, { method: 'DELETE' });
    expect(response.status).toBe(404);
  });
});
