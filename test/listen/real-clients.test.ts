import { Analytics } from '@segment/analytics-node';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { Client } from '../../src/collector/client.js';
import { notesOf } from '../../src/listen/notes.js';
import { WebhookDestination } from '../../src/webhook/webhook-destination.js';
import { listening, type Listening } from './listening.js';

/** Type, name and user of every event received, in order. */
function events({ got }: Listening): (string | null)[][] {
  return got()
    .flatMap(({ body, path }) => notesOf(body, path).events)
    .map(({ type, name, user }) => [type, name, user]);
}

it('accepts the batches of a published client, which retries after a fault', async () => {
  const listener = await listening({ faults: ['status=503,first=1'] });
  const client = new Analytics({ writeKey: 'key', host: listener.url, flushAt: 3 });
  client.identify({ userId: 'u1', traits: { big: 2 ** 53 } });
  client.track({ userId: 'u1', event: 'Order Completed', properties: { total: 1.5 } });
  client.group({ userId: 'u1', groupId: 'g1' });
  await client.closeAndFlush({ timeout: 20_000 });
  const expected = [
    ['identify', null, 'u1'],
    ['track', 'Order Completed', 'u1'],
    ['group', 'g1', 'u1'],
  ];
  expect(events(listener)).toEqual([...expected, ...expected]);
  expect(listener.got()).toMatchObject([
    { path: '/v1/batch', summary: { type: 'batch', events: 3 }, response: { status: 503 } },
    { path: '/v1/batch', summary: { type: 'batch', events: 3 }, response: { status: 200 } },
  ]);
});

it('accepts requests of the evfwd client', async () => {
  const listener = await listening();
  const client = new Client('key', { endpoint: listener.url });
  client.track({ event: 'A', userId: 'u' });
  client.page({ name: 'Home', anonymousId: 'a' });
  expect(await client.close()).toMatchObject({ delivered: 2 });
  expect(events(listener)).toEqual([
    ['track', 'A', 'u'],
    ['page', 'Home', 'a'],
  ]);
});

it('finds the signatures of evfwd valid, for every type', async () => {
  const listener = await listening({ secret: 'shh' });
  const endpoints = [{ url: `${listener.url}/hook` }];
  const destination = new WebhookDestination({ endpoints, sharedSecret: 'shh' });
  const user = { userId: 'u' };
  for (const event of [
    { type: 'identify', ...user },
    { type: 'track', event: 'E', ...user },
    { type: 'page', name: 'P', ...user },
    { type: 'screen', name: 'S', ...user },
    { type: 'group', groupId: 'g', ...user },
    { type: 'alias', previousId: 'p', ...user },
    { type: 'delete', ...user },
  ]) {
    expect((await destination.deliver(event)).verdict).toBe('delivered');
  }
  await destination.close();
  expect(listener.got().map(({ signature }) => signature)).toEqual(Array(7).fill('valid'));
  expect(events(listener)).toEqual([
    ['identify', null, 'u'],
    ['track', 'E', 'u'],
    ['page', 'P', 'u'],
    ['screen', 'S', 'u'],
    ['group', 'g', 'u'],
    ['alias', null, 'u'],
    ['delete', null, 'u'],
  ]);
});

it.each([
  ['go', '//v1/batch', 'application/json'],
  ['java', '/v1/import/', 'application/json; charset=utf-8'],
  ['a browser', '/v1/b', 'text/plain'],
  ['rudder', '/v1/batch', 'application/x-www-form-urlencoded'],
])('accepts batches as %s sends them: %s as %s', async (_name, path, type) => {
  const listener = await listening();
  const batch =
    '{"batch":[{"type":"track","event":"E","userId":null,"anonymousId":7}],"sentAt":"x"}';
  for (const body of [Buffer.from(batch), gzipSync(batch)]) {
    const response = await fetch(listener.url + path, {
      method: 'POST',
      headers: { 'content-type': type, 'content-encoding': 'gzip' },
      body,
    });
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
  }
  expect(events(listener)).toEqual([
    ['track', 'E', '7'],
    ['track', 'E', '7'],
  ]);
});
