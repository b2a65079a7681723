import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { signingBy } from '../../helpers/signing.js';
import { reply, startRawServer } from '../../helpers/raw-server.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';
import {
  destination,
  json,
  serving,
  simple,
  source,
  track,
  until,
  type Serving,
} from '../serving.js';

const receivers: Receiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function responding(status = 200): Promise<Receiver> {
  const receiver = await startReceiver(() => ({ status }));
  receivers.push(receiver);
  return receiver;
}

/** Without a query, which may hold a secret. */
const dead = 'http://127.0.0.1:9/hook';

describe('a name in the query that is unknown', () => {
  it.each([
    ['GET', 'events-of/x?a=1', 404, 'not_found'],
    ['GET', 'deliveries?limt=1', 400, 'did you mean limit?'],
    ['GET', 'waiting?destinations=crm', 400, 'did you mean destination?'],
    ['GET', 'dead-letters?sourc=web', 400, 'did you mean source?'],
    ['GET', 'dead-letters.ndjson?dest=crm', 400, 'use one of source, destination'],
    ['GET', 'rejected?since=1', 400, 'use one of limit, after, source, destination, search'],
    ['GET', 'search?search=a&form=1', 400, 'use one of search, source, destination'],
    ['GET', 'series?spam=1h', 400, 'did you mean span?'],
    ['POST', 'redeliveries?preview', 400, 'this path has none'],
    ['GET', 'dead-letters?token%3Ds3cret=1', 400, 'it is not shown'],
  ])('%s %s is refused', async (method, path, status, text) => {
    const { url } = await serving(simple(dead));
    const response = await fetch(`${url}/_evfwd/api/${path}`, { method });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(text);
  });
});

describe('a source or destination that is unknown', () => {
  const unknown = { source: 'wbe', destination: 'cmr' } as const;
  const message = {
    source: 'the configuration has no such source; did you mean web? (it has web)',
    destination: 'the configuration has no such destination; did you mean crm? (it has crm)',
  };
  const bySource = ['deliveries', 'waiting', 'dead-letters', 'dead-letters.ndjson', 'rejected'];

  it.each<[keyof typeof unknown, string]>([
    ...[...bySource, 'deletions'].map((path): ['source', string] => [
      'source',
      `${path}?source=wbe`,
    ]),
    ['source', 'search?search=m1&source=wbe'],
    ...bySource.map((path): ['destination', string] => ['destination', `${path}?destination=cmr`]),
    ['destination', 'search?search=m1&destination=cmr'],
    ['destination', 'series?destination=cmr'],
    ['destination', 'destinations/cmr/users'],
    ['destination', 'failures/cmr'],
  ])('is no empty %s: %s', async (kind, path) => {
    const { url } = await serving(simple(dead));
    const response = await fetch(`${url}/_evfwd/api/${path}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: { code: `unknown_${kind}`, message: message[kind] },
    });
    const known = path.replace(unknown[kind], kind === 'source' ? 'web' : 'crm');
    const { status } = await fetch(`${url}/_evfwd/api/${known}`);
    // Nothing has failed.
    expect(status).toBe(known === 'failures/crm' ? 404 : 200);
  });

  it('is none that was removed and has dead letters', async () => {
    const server = await responding(404);
    const served = await serving(simple(server.url));
    await served.send([track(1)]);
    const path = 'dead-letters?source=web&destination=crm';
    await until(
      () => served.api(path),
      ({ rows }) => rows.length === 1,
    );
    await served.reroute({ sources: [source('app', { destinations: [] })], destinations: [] });
    expect((await served.api(path)).rows).toMatchObject([{ source: 'web', destination: 'crm' }]);
    for (const of of ['series?destination=crm', 'destinations/crm/users', 'failures/crm']) {
      const { status } = await fetch(`${served.url}/_evfwd/api/${of}`);
      expect([of, status]).toEqual([of, 200]);
    }
    expect(await served.api('dead-letters?destination=cmr')).toMatchObject({
      error: { message: 'the configuration has no such destination; it has none' },
    });
  });
});

describe('who may operate the service', () => {
  const calls: [path: string, method: string][] = [
    ['overview', 'GET'],
    ['stream', 'GET'],
    ['events/000000000000000000000000', 'GET'],
    ['destinations/crm', 'PUT'],
    ['deletions', 'POST'],
    ['/overview', 'GET'],
  ];

  it.each(calls)('%s needs the token when there is one', async (path, method) => {
    const { url } = await serving(simple(dead), { token: 'secret-token' });
    const status = async (authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await fetch(`${url}/_evfwd/api/${path}`, { method, headers });
      await response.body?.cancel();
      return response.status;
    };
    expect(await status()).toBe(401);
    expect(await status('Bearer secret-toke')).toBe(401);
    expect(await status(`Basic ${Buffer.from('secret-token:').toString('base64')}`)).toBe(401);
    expect(await status('Bearer secret-token')).not.toBe(401);
  });

  it.each([
    '/_evfwd/%61pi/overview',
    '/%5Fevfwd/api/overview',
    '//_evfwd//api/overview/',
    '/_evfwd/api/overview?x=/_evfwd/metrics',
    '/_evfwd/metrics/../api/overview',
    '/_evfwd/nothing',
  ])('%s is no way around the token', async (path) => {
    const { url } = await serving(simple(dead), { token: 'secret-token' });
    expect(await statusWith(url, {}, path)).toBe(401);
  });

  it.each(['health', 'ready', 'metrics', 'api/page'])('%s never needs one', async (path) => {
    const { url } = await serving(simple(dead), { token: 'secret-token' });
    expect((await fetch(`${url}/_evfwd/${path}`)).status).toBe(200);
  });

  const foreign: [headers: Record<string, string>, status: number][] = [
    [{ Host: 'evil.example:PORT' }, 403],
    [{ Host: 'localhost:PORT', Origin: 'http://evil.example' }, 403],
    [{ Host: 'localhost:PORT', Origin: 'null' }, 403],
    [{ Host: 'localhost:PORT', 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ Host: 'localhost:PORT', Origin: 'http://localhost:PORT' }, 200],
    [{ Host: '127.0.0.1:PORT' }, 200],
  ];

  it.each(foreign)('without a token, the response to %j is %i', async (headers, status) => {
    const { url } = await serving(simple(dead));
    expect(await statusWith(url, headers)).toBe(status);
  });

  const proxies: Record<string, string>[] = [
    { Forwarded: 'for=203.0.113.9' },
    { 'X-Forwarded-For': '203.0.113.9' },
    { 'x-forwarded-proto': 'https' },
    { 'X-Forwarded-Anything': '' },
    { Via: '1.1 caddy' },
    { 'X-Real-IP': '203.0.113.9' },
    { 'True-Client-IP': '203.0.113.9' },
    { 'CF-Connecting-IP': '203.0.113.9' },
    { 'X-Original-Host': 'events.example.com' },
  ];

  it.each(proxies)(
    'without a token, what came through a proxy with %j is refused',
    async (added) => {
      const { url } = await serving(simple(dead));
      const headers = { Host: '127.0.0.1:PORT', ...added };
      for (const path of ['/_evfwd/', '/_evfwd/api/page', '/_evfwd/api/overview', '/_evfwd/x']) {
        expect([path, await statusWith(url, headers, path)]).toEqual([path, 403]);
        const outside = { Host: 'events.example.com', ...added };
        expect([path, await statusWith(url, outside, path)]).toEqual([path, 403]);
      }
      for (const path of ['/_evfwd/health', '/_evfwd/ready', '/_evfwd/metrics']) {
        expect([path, await statusWith(url, headers, path)]).toEqual([path, 200]);
      }
    },
  );

  it('the refusal of a proxy names --admin-token-file, with which it is allowed', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const open = await serving(simple(dead));
    expect(await open.api('overview', { headers })).toMatchObject({
      error: { code: 'proxied', message: expect.stringContaining('--admin-token-file') as string },
    });
    const guarded = await serving(simple(dead), { token: 'secret-token' });
    const withToken = { ...headers, authorization: 'Bearer secret-token' };
    expect(await statusWith(guarded.url, withToken)).toBe(200);
  });

  it('without a token, HTTP/1.0 is refused, as nginx speaks it and with its own Host header', async () => {
    const { service } = await serving(simple(dead));
    const { port } = service;
    const ask = async (path: string): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
      return (await text(socket)).split('\r\n')[0]!;
    };
    expect(await ask('/_evfwd/api/overview')).toContain(' 403 ');
    expect(await ask('/_evfwd/health')).toContain(' 200 ');
  });

  it('a page of another site may send events, and read nothing of the operations', async () => {
    const { url } = await serving(simple(dead));
    const headers = { origin: 'https://shop.example' };
    const taken = await fetch(`${url}/v1/t`, { method: 'POST', headers, body: '{}' });
    expect(taken.headers.get('access-control-allow-origin')).not.toBeNull();
    const page = await fetch(`${url}/_evfwd/metrics`, { headers });
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('what an operator sees', () => {
  it('has sources and destinations, but no key, secret, header value or query', async () => {
    const routing = {
      sources: [source('web', { writeKey: 'hush-key' })],
      destinations: [
        destination('crm', '', {
          signing: signingBy('x-signature', 'hush-secret'),
          endpoints: [
            {
              ...{ url: `${dead}?token=hush`, headers: { 'X-Team': 'hush-value' } },
              ...{ types: ['track'], rate: 100, auth: { bearer: 'hush-token' } },
              proxy: 'http://user:hush@proxy.example.com:3128',
            },
          ],
        }),
      ],
    };
    const served = await serving(routing);
    const overview = await served.api('overview');
    expect(overview.sources).toMatchObject([{ name: 'web', enabled: true, destinations: ['crm'] }]);
    expect(overview.destinations).toMatchObject([
      {
        ...{ name: 'crm', integrationName: 'Webhooks', enabled: true, signed: true },
        endpoints: [
          {
            ...{ url: dead, headerNames: ['X-Team'], down: false },
            settings: {
              ...{ types: ['track'], rate: 100, auth: 'bearer' },
              proxy: 'http://proxy.example.com:3128',
            },
          },
        ],
        sources: ['web'],
      },
    ]);
    await served.send([track(1), { type: 'track', userId: 'u' }], 'hush-key');
    const { rows } = await until(
      () => served.api('waiting'),
      (page) => page.rows.length === 1,
    );
    expect(rows).toMatchObject([{ messageId: 'm1', user: 'u1', name: 'E1', error: 'refused' }]);
    const lists = ['overview', 'deliveries', 'waiting', 'dead-letters', 'rejected'];
    const all = await Promise.all(lists.map((path) => served.api(path)));
    const metrics = await (await fetch(`${served.url}/_evfwd/metrics`)).text();
    expect([JSON.stringify(all), metrics, ...served.logged].join('\n')).not.toContain('hush');
  });

  it('says why no endpoint of a destination wants an event', async () => {
    const { url } = await responding();
    const endpoints = [
      { url, types: ['page'] as const },
      { url: `${url}2?key=hush`, where: ['properties.total>=100'] },
    ];
    const routing = {
      sources: [source('web')],
      destinations: [destination('crm', '', { endpoints })],
    };
    const served = await serving(routing);
    await served.send([track(1)]);
    const { rows } = await until(
      () => served.api('deliveries'),
      (page) => page.rows.length === 1,
    );
    const message = `no endpoint wants it: ${url}: its types are page; ${url}2: its condition properties.total>=100 does not hold`;
    expect(rows).toMatchObject([{ state: 'skipped', code: 'not_wanted', message, attempts: 0 }]);
    const metrics = await (await fetch(`${served.url}/_evfwd/metrics`)).text();
    expect(metrics).toMatch(/skipped.*destination="crm".* 1$|destination="crm".*skipped.* 1$/m);
  });

  it('finds an event, and why it was not delivered, by a part of it', async () => {
    const refusing = await responding(404);
    const served = await serving(simple(refusing.url));
    await served.send([track(1), track(2), track(3, { integrations: { All: false } })]);
    await served.send([{ type: 'track', userId: 'u9', messageId: 'm9' }]);
    await served.send([track(4)], 'wrong');
    await until(
      () => served.api('dead-letters'),
      ({ total }) => total === 2,
    );
    const find = async (list: string, text: string) =>
      (await served.api(`${list}?search=${text}`)).rows;
    expect(await find('dead-letters', 'U2')).toMatchObject([
      { messageId: 'm2', user: 'u2', name: 'E2', code: 'status_404', status: 404, attempts: 1 },
    ]);
    expect(await find('deliveries', 'm3')).toMatchObject([
      { state: 'skipped', code: 'integration_off', attempts: 0, endpoints: [] },
    ]);
    expect(await find('deliveries', 'e1')).toMatchObject([
      { state: 'failed', user: 'u1', endpoints: [{ url: refusing.url, status: 404 }] },
    ]);
    expect(await find('rejected', 'm9')).toMatchObject([{ source: 'web', code: 'missing_event' }]);
    expect((await served.api('overview')).refused).toMatchObject([
      { code: 'invalid_write_key', count: 1 },
    ]);
  });

  it('reads long lists page by page, each row once', async () => {
    const served = await serving(simple((await responding(410)).url));
    await served.send(Array.from({ length: 25 }, (_, n) => track(n)));
    await until(
      () => served.api('dead-letters'),
      ({ total }) => total === 25,
    );
    for (const list of ['dead-letters', 'deliveries']) {
      const seen: string[] = [];
      for (let after: string | null = ''; after !== null;) {
        const query: string = after === '' ? '' : `&after=${after}`;
        const page = await served.api(`${list}?limit=10${query}`);
        seen.push(...page.rows.map(({ messageId }: { messageId: string }) => messageId));
        after = page.next;
      }
      expect(new Set(seen).size).toBe(25);
      expect(seen.length).toBe(25);
    }
  });

  it('is streamed: the overview, earlier events, and new ones', async () => {
    const receiver = await responding();
    const served = await serving(simple(receiver.url));
    await served.send([track(1), { type: 'track', userId: 'bad-1' }]);
    await receiver.atLeast(1);
    await until(
      () => served.api('deliveries'),
      ({ total }) => total === 1,
    );
    const stream = await fetch(`${served.url}/_evfwd/api/stream`);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const reads = async (wanted: string): Promise<void> => {
      while (!text.includes(wanted)) text += (await reader.read()).value!;
    };
    await reads('"messageId":"m1"');
    expect(text).toMatch(/^event: overview\ndata: \{.*\}\n\nevent: deliveries\n/);
    await reads('bad-1');
    await served.send([track(2), { type: 'track', userId: 'bad-2' }]);
    await reads('"messageId":"m2"');
    await reads('bad-2');
    expect(text.match(/^event: rejected$/gm)).toHaveLength(2);
    await reader.cancel();
  });

  it('are the metrics of the documented names', async () => {
    const [good, bad] = [await responding(), await responding(404)];
    const served = await serving({
      sources: [source('web', { destinations: ['good', 'bad'] })],
      destinations: [destination('good', good.url), destination('bad', bad.url)],
    });
    await served.send([track(1), track(2), { type: 'track', userId: 'u' }]);
    const metrics = await until(
      async () => (await fetch(`${served.url}/_evfwd/metrics`)).text(),
      (text) => text.includes('verdict="failed"} 2') && text.includes('verdict="delivered"} 2'),
    );
    for (const line of [
      'evfwd_events_received_total{source="web"} 3',
      'evfwd_events_rejected_total{source="web",code="missing_event"} 1',
      'evfwd_deliveries_total{destination="good",verdict="delivered"} 2',
      'evfwd_deliveries_total{destination="bad",verdict="failed"} 2',
      'evfwd_attempts_total{destination="good",result="2xx"} 2',
      'evfwd_attempts_total{destination="bad",result="4xx"} 2',
      'evfwd_retries_waiting{destination="good"} 0',
      'evfwd_delivery_duration_seconds_count 2',
    ]) {
      expect(metrics.split('\n')).toContain(line);
    }
  });
});

describe('what an endpoint said', () => {
  const said = { headers: { 'content-type': 'text/plain' }, body: 'no plan *** é' };

  async function refusing(status: number, body: string): Promise<Serving> {
    const server = await startRawServer({
      response: () => reply(status, { 'content-type': 'text/plain' }, body),
    });
    const served = await serving(simple(`${server.url}?token=topsecret`));
    await served.send([track(1)]);
    return served;
  }

  it('is in the delivery, the last failure, the dead letter and the history', async () => {
    const served = await refusing(400, 'no plan topsecret é');
    const { rows } = await until(
      () => served.api('dead-letters'),
      ({ total }) => total === 1,
    );
    expect((await served.api(`events/${rows[0].id}`)).response).toEqual(said);
    const [delivery] = (await served.api('deliveries')).rows;
    expect(delivery.endpoints).toMatchObject([{ status: 400, response: said }]);
    const { destinations } = await served.api('overview');
    expect(destinations[0].lastFailure).toMatchObject({ status: 400, response: said });
    const { events } = await served.api('search?search=m1');
    expect(events).toMatchObject([{ state: 'failed', response: said }]);
  });

  it('is of a delivery that will be retried, too', async () => {
    const served = await refusing(503, 'no plan topsecret é');
    const { rows } = await until(
      () => served.api('deliveries'),
      ({ total }) => total === 1,
    );
    expect(rows[0]).toMatchObject({ state: 'retrying', endpoints: [{ response: said }] });
  });

  it('is short in the history, which has many', async () => {
    const served = await refusing(400, 'x'.repeat(9_000));
    const { rows } = await until(
      () => served.api('dead-letters'),
      ({ total }) => total === 1,
    );
    const { response } = await served.api(`events/${rows[0].id}`);
    expect(response.body).toHaveLength(4_096);
    const { events } = await served.api('search?search=m1');
    expect(events[0].response.body).toHaveLength(1_024);
  });
});

describe('what an operator does', () => {
  it('redelivers all dead letters of a destination, the oldest first', async () => {
    let status = 404;
    const server = await startRawServer({ response: () => reply(status) });
    const served = await serving(simple(server.url), { delivery: { concurrency: 1 } });
    for (const n of [1, 2, 3]) {
      await served.send([track(n)]);
      await until(
        () => served.api('dead-letters'),
        ({ total }) => total === n,
      );
    }
    status = 200;
    expect(await redeliver(served, { destination: 'crm' })).toEqual({ redelivered: 3 });
    await until(
      () => served.api('overview'),
      ({ destinations }) => destinations[0].delivered === 3,
    );
    const sent = server.requests.slice(3).map(({ body }) => JSON.parse(body.toString()).messageId);
    expect(sent).toEqual(['m1', 'm2', 'm3']);
  });

  it('redelivers dead letters, some or all, with their ids', async () => {
    let status = 404;
    const receiver = await startReceiver(() => ({ status }));
    receivers.push(receiver);
    const served = await serving(simple(receiver.url));
    await served.send([track(1), track(2), track(3)]);
    const { rows } = await until(
      () => served.api('dead-letters'),
      ({ total }) => total === 3,
    );
    status = 200;
    const one = rows.find(({ messageId }: { messageId: string }) => messageId === 'm2').id;
    const { text, endpoints } = await served.api(`events/${one}`);
    expect(JSON.parse(text)).toMatchObject({ messageId: 'm2', event: 'E2' });
    expect(endpoints).toMatchObject([{ url: receiver.url, status: 404 }]);
    expect(await redeliver(served, { ids: [one] })).toEqual({ redelivered: 1 });
    expect(await redeliver(served, { destination: 'crm' })).toEqual({ redelivered: 2 });
    await receiver.atLeast(6);
    const again = receiver
      .json()
      .slice(3)
      .map(({ messageId }) => messageId);
    expect(again.sort()).toEqual(['m1', 'm2', 'm3']);
    expect((await served.api('dead-letters')).rows).toEqual([]);
  });

  it('switches a destination off and on, which gets what came meanwhile', async () => {
    const receiver = await responding();
    const served = await serving(simple(receiver.url));
    const off = await served.api('destinations/crm', json('PUT', { enabled: false }));
    expect(off).toMatchObject({ enabled: false, configuredEnabled: true });
    await served.send([track(1)]);
    expect(await served.api('search?search=m1')).toMatchObject({ events: [{ state: 'queued' }] });
    expect(receiver.requests).toEqual([]);
    await served.api('destinations/crm', json('PUT', { enabled: true }));
    await served.send([track(2)]);
    await receiver.atLeast(2);
    expect(receiver.json().map(({ messageId }) => messageId)).toEqual(['m1', 'm2']);
  });

  it('tests a destination, and gets its response', async () => {
    const receiver = await responding(418);
    const served = await serving(simple(receiver.url));
    const result = await served.api('destinations/crm/test', { method: 'POST' });
    expect(result).toMatchObject({ delivered: false, attempts: [{ status: 418 }] });
    expect(receiver.json()).toMatchObject([{ type: 'track', messageId: result.messageId }]);
  });

  it('deletes a user at every source that has an enabled destination', async () => {
    const receiver = await responding();
    const served = await serving({
      sources: [source('web'), source('app'), source('idle', { destinations: ['off'] })],
      destinations: [
        destination('crm', receiver.url),
        destination('off', receiver.url, { isEnabled: false }),
      ],
    });
    const body = '{"userId":12345678901234567890}';
    const all = await served.api('deletions', { method: 'POST', body });
    const both = ['web', 'app'].map((name) => ({ source: name, destinations: ['crm'] }));
    expect(all).toEqual({ deletions: both });
    const one = await served.api('deletions', json('POST', { userId: 'u1', sources: ['app'] }));
    expect(one).toEqual({ deletions: both.slice(1) });
    const twice = json('POST', { userId: 'u1', sources: ['app', 'app'] });
    expect(await served.api('deletions', twice)).toEqual(one);
    await receiver.atLeast(4);
    const form = /^\{"type":"delete","userId":(12345678901234567890|"u1"),"timestamp":"[^"]+"\}$/;
    for (const request of receiver.requests) expect(request.body.toString()).toMatch(form);
    const listed = await served.api('deletions');
    const rows = [
      { user: 'u1', source: 'app' },
      { user: 'u1', source: 'app' },
      { user: '12345678901234567890', source: 'app' },
      { user: '12345678901234567890', source: 'web' },
    ];
    expect(listed).toMatchObject({ rows, next: null, total: 4 });
    expect(listed.rows.map(({ at }: { at: string }) => Date.parse(at))).not.toContain(NaN);
    expect(await served.api('deletions?source=web')).toMatchObject({ rows: [rows[3]], total: 1 });
    expect((await served.api('deletions?search=U1')).rows).toHaveLength(2);
    expect(await served.api('deletions?limit=2')).toMatchObject({ rows: rows.slice(0, 2) });
  });

  const wrong: [path: string, init: RequestInit, status: number, code: string][] = [
    ['deletions', json('POST', {}), 400, 'missing_user_id'],
    ['deletions', json('POST', { userId: 'u', sources: ['web', 'x'] }), 400, 'unknown_source'],
    ['deletions', { method: 'POST', body: '{' }, 400, 'invalid_json'],
    ['destinations/crn', json('PUT', { enabled: true }), 404, 'unknown_destination'],
    ['destinations/crm', json('PUT', { enabled: 'perhaps' }), 400, 'bad_request'],
    ['destinations/crm', json('PUT', { enabled: 1 }), 400, 'bad_request'],
    ['destinations/crm', json('PUT', { enabled: 'true' }), 400, 'bad_request'],
    ['destinations/crm', json('PUT', { enabled: null }), 400, 'bad_request'],
    ['destinations/crm', json('PUT', { enabled: true, enable: 1 }), 400, 'bad_request'],
    ['destinations/crm', json('PUT', null), 400, 'bad_request'],
    ['destinations/crm', json('PUT', []), 400, 'bad_request'],
    ['redeliveries', json('POST', { ids: [1] }), 400, 'bad_request'],
    ['redeliveries', json('POST', { destination: 5 }), 400, 'bad_request'],
    [
      'redeliveries',
      json('POST', { ids: ['0'.repeat(24)], destination: 'crm' }),
      400,
      'bad_request',
    ],
    ['redeliveries', json('POST', {}), 400, 'bad_request'],
    ['redeliveries', json('POST', { destination: 'crn' }), 404, 'unknown_destination'],
    ['redeliveries', json('POST', { destination: '__proto__' }), 404, 'unknown_destination'],
    ['destinations/crn/test', { method: 'POST' }, 404, 'unknown_destination'],
    ['redeliveries', json('POST', { ids: [] }), 400, 'bad_request'],
    ['redeliveries', json('POST', { ids: ['1; DROP'] }), 400, 'bad_request'],
    ['deliveries?limit=501', {}, 400, 'bad_request'],
    ['deliveries?after=x', {}, 400, 'bad_request'],
    ['nothing', {}, 404, 'not_found'],
  ];

  it.each(wrong)('the response to %s with %j is %i %s', async (path, init, status, code) => {
    const { url } = await serving(simple(dead));
    const response = await fetch(`${url}/_evfwd/api/${path}`, init);
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^.+$/);
  });

  it('redelivers nothing for a destination without dead letters', async () => {
    const served = await serving(simple(dead));
    await served.api('dead-letters?destination=never');
    expect(await redeliver(served, { destination: 'crm' })).toEqual({ redelivered: 0 });
    expect(await redeliver(served, { destination: 'never' })).toMatchObject({
      error: { code: 'unknown_destination' },
    });
  });

  it('explains in one line what a body must be', async () => {
    const served = await serving(simple(dead));
    expect(await served.api('destinations/crm', json('PUT', { enabled: 1 }))).toMatchObject({
      error: { message: 'enabled must be true or false, and the only member' },
    });
    expect(await served.api('overview')).toMatchObject({ destinations: [{ enabled: true }] });
  });

  it('shows how many dead letters were dropped, and applies a new limit at a reload', async () => {
    const server = await responding(404);
    const served = await serving({ ...simple(server.url), maxDeadLetters: 3 });
    await served.send([1, 2, 3, 4, 5].map((n) => track(n)));
    const overview = () => served.api('overview');
    await until(overview, ({ deadLettersDropped }) => deadLettersDropped === 2);
    await served.reroute({ ...simple(server.url), maxDeadLetters: 1 });
    const shown = await until(overview, ({ deadLettersDropped }) => deadLettersDropped === 4);
    expect(shown.destinations).toMatchObject([{ deadLetters: 1, deadLettersDropped: 4 }]);
    const metrics = await (await fetch(`${served.url}/_evfwd/metrics`)).text();
    expect(metrics).toContain('evfwd_dead_letters_dropped_total{destination="crm"} 4');
    const [line, ...more] = served.logged.filter((text) => text.includes('were dropped'));
    expect([line, more]).toEqual([expect.stringContaining('raise deadLetters.keep'), []]);
  });
});

function redeliver(served: Serving, body: object): Promise<unknown> {
  return served.api('redeliveries', json('POST', body)) as Promise<unknown>;
}

/** fetch does not send these headers as specified. */
function statusWith(
  url: string,
  headers: Record<string, string>,
  path = '/_evfwd/api/overview',
): Promise<number> {
  const { port } = new URL(url);
  const given = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', port)]);
  return new Promise((resolve, reject) => {
    const options = { port, path, headers: Object.fromEntries(given), agent: false };
    httpRequest(options, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end();
  });
}

describe('how destinations are', () => {
  it('tells an endpoint that refuses from one that cannot be reached', async () => {
    const failing = await responding(503);
    const gone = await responding(410);
    const served = await serving({
      sources: [source('web', { destinations: ['crm', 'gone', 'dead', 'idle'] })],
      destinations: [
        destination('crm', failing.url),
        destination('gone', gone.url),
        destination('dead', dead),
        destination('idle', failing.url, { isEnabled: false }),
      ],
    });
    await served.send([track(1)]);
    const { destinations } = await until(
      () => served.api('overview'),
      (overview) =>
        overview.destinations.slice(0, 3).every((one: { lastFailure: unknown }) => one.lastFailure),
    );
    const none = { lastStatus: null, lastError: null };
    expect(destinations.map((one: { endpoints: unknown }) => one.endpoints)).toMatchObject([
      [{ health: 'failing', lastStatus: 503, lastError: null, down: false }],
      [{ health: 'gone', lastStatus: 410, lastError: null, down: false }],
      [{ health: 'down', lastStatus: null, lastError: 'refused', down: true }],
      [{ health: 'unused', ...none, down: false }],
    ]);
    expect(await served.api('failures/crm')).toMatchObject({ status: 503, error: null });
    expect(await served.api('failures/idle')).toMatchObject({ error: { code: 'not_kept' } });
    expect(await served.api('failures/__proto__')).toMatchObject({
      error: { code: 'unknown_destination' },
    });
  });

  it('has what happened over time, of all and of one destination', async () => {
    const good = await responding();
    const bad = await responding(503);
    const served = await serving({
      sources: [source('web', { destinations: ['crm', 'broken'] })],
      destinations: [destination('crm', good.url), destination('broken', bad.url)],
    });
    await served.send([track(1), track(2), { type: 'track', userId: 'u' }]);
    await until(
      () => served.api('waiting'),
      ({ rows }) => rows.length === 2,
    );
    const total = async (query: string) => {
      const series = await served.api(`series?${query}`);
      const sum = (counts: number[]): number => counts.reduce((all, count) => all + count, 0);
      const { received, delivered, failedAttempts, waiting } = series;
      return [sum(received), sum(delivered), sum(failedAttempts), waiting.at(-1)];
    };
    expect(await total('')).toEqual([3, 2, 2, 2]);
    expect(await total('destination=crm&span=24h')).toEqual([2, 2, 0, 0]);
    expect(await total('destination=broken&span=15m')).toEqual([2, 0, 2, 2]);
    expect(await served.api('series?destination=__proto__')).toMatchObject({
      error: { code: 'unknown_destination' },
    });
    for (const wrong of ['span=2h', 'from=x', 'from=-1']) {
      expect(await served.api(`series?${wrong}`)).toMatchObject({ error: { code: 'bad_request' } });
    }
  });

  it('know an event by its id, with the text of a dead letter, until it is no longer kept', async () => {
    const served = await serving(simple((await responding(404)).url));
    await served.send([track(1)]);
    const { rows } = await until(
      () => served.api('deliveries'),
      (page) => page.rows.length === 1,
    );
    const { id } = rows[0];
    const known = await until(
      () => served.api(`events/${id}`),
      ({ text }) => text !== undefined,
    );
    expect(known).toEqual({ ...rows[0], text: expect.stringContaining('"E1"') as string });
    for (const list of ['dead-letters', 'search?search=m1']) {
      const { rows: listed = [], events = listed } = await served.api(list);
      expect(events).toMatchObject([{ id, state: 'failed' }]);
    }
    const unknown = '0'.repeat(24);
    expect(await served.api(`events/${unknown}`)).toMatchObject({ error: { code: 'not_kept' } });
    expect(await served.api('events/x')).toMatchObject({ error: { code: 'bad_request' } });
  });
});
