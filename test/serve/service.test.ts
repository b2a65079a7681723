import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Analytics } from '@segment/analytics-node';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { verify } from '../../src/sign/x-signature.js';
import { openDatabase } from '../../src/storage/sqlite.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { destination, serving, simple, source, track, until } from './serving.js';

const receivers: Receiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function receiving(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...args);
  receivers.push(receiver);
  return receiver;
}

const ids = (receiver: Receiver): string[] =>
  receiver.json().map(({ messageId }: { messageId: string }) => messageId);

describe('an event', () => {
  it('of a published client is delivered once, signed, with its values', async () => {
    const receiver = await receiving();
    const { url } = await serving(simple(receiver.url));
    const analytics = new Analytics({ writeKey: 'k-web', host: url, flushAt: 7 });
    const timestamp = new Date('2012-12-02T00:30:08.276Z');
    analytics.track({ userId: 'u', event: 'Order ✓', properties: { f: 1e21 }, timestamp });
    for (let i = 0; i < 99; i++)
      analytics.track({ userId: 'u', event: `e${i}`, messageId: `${i}` });
    await analytics.closeAndFlush();
    await receiver.atLeast(100);
    expect(new Set(ids(receiver)).size).toBe(100);
    for (const { body, headers } of receiver.requests) {
      expect(verify(body, String(headers['x-signature']), 's3')).toBe(true);
    }
    expect(receiver.json().find(({ event }) => event === 'Order ✓')).toMatchObject({
      version: 1,
      timestamp: timestamp.toISOString(),
      properties: { f: 1e21 },
    });
  });

  it('that is resent within a day is accepted, and not forwarded again', async () => {
    const receiver = await receiving();
    const served = await serving(simple(receiver.url));
    for (let i = 0; i < 3; i++) expect((await served.send([track(1), track(2)])).status).toBe(200);
    await served.send([track(3)]);
    await receiver.atLeast(3);
    await served.stop();
    expect(ids(receiver).sort()).toEqual(['m1', 'm2', 'm3']);
  });

  it('without an id that is resent in the same batch is not forwarded again', async () => {
    const receiver = await receiving();
    const served = await serving(simple(receiver.url));
    const event = { type: 'track', userId: 'u', event: 'Same' };
    const batch = { batch: [event, event], messageId: 'b1', writeKey: 'k-web' };
    for (const messageId of ['b1', 'b1', 'b2']) {
      const body = JSON.stringify({ ...batch, messageId });
      expect((await fetch(`${served.url}/v1/batch`, { method: 'POST', body })).status).toBe(200);
    }
    await receiver.atLeast(4);
    await served.stop();
    expect(new Set(ids(receiver)).size).toBe(4);
    expect(receiver.requests.length).toBe(4);
  });

  it('is forwarded to the destinations of its source that its integrations enable', async () => {
    const [one, two] = [await receiving(), await receiving()];
    const served = await serving({
      sources: [source('web', { destinations: ['one', 'two'] })],
      destinations: [
        destination('one', one.url),
        destination('two', two.url, { integrationName: 'Two' }),
      ],
    });
    await served.send([
      track(1, { integrations: { Two: false } }),
      track(2, { integrations: { All: false, Two: { option: 1 } } }),
      track(3, { integrations: { webhooks: false } }),
    ]);
    await Promise.all([one.atLeast(2), two.atLeast(2)]);
    await served.stop();
    expect(ids(one).sort()).toEqual(['m1', 'm3']);
    expect(ids(two).sort()).toEqual(['m2', 'm3']);
  });

  it('of a disabled source is accepted and not forwarded', async () => {
    const receiver = await receiving();
    const served = await serving({
      sources: [source('web', { isEnabled: false }), source('app')],
      destinations: [destination('crm', receiver.url)],
    });
    expect((await served.send([track(1)])).status).toBe(200);
    await served.send([track(2)], 'k-app');
    await receiver.atLeast(1);
    await served.stop();
    expect(ids(receiver)).toEqual(['m2']);
  });

  it('is not sent to a private address unless allowed, and the overview names the reason', async () => {
    const receiver = await receiving();
    const routing = simple(receiver.url, { allowPrivateNetworks: false });
    const served = await serving(routing);
    await served.send([track(1)]);
    const { destinations } = await until(
      () => served.api('overview'),
      // It is queued again when its failure is durable, until it is a probe.
      ({ destinations: [{ lastFailure, queued, retrying }] }) =>
        lastFailure !== null && Number(queued) + Number(retrying) === 1,
    );
    expect(destinations[0]).toMatchObject({
      lastFailure: { error: 'private_address' },
      endpoints: [{ health: 'down', lastError: 'private_address' }],
    });
    expect(receiver.requests).toEqual([]);
  });
});

describe('a reload', () => {
  it('loses no event, and new calls use the new routing', async () => {
    const [before, after] = [await receiving(), await receiving()];
    const served = await serving(simple(before.url));
    for (let i = 0; i < 60; i++) {
      if (i === 30) await served.reroute(simple(after.url));
      expect((await served.send([track(i)])).status).toBe(200);
    }
    await until(
      () => Promise.resolve(new Set([...ids(before), ...ids(after)])),
      ({ size }) => size === 60,
    );
    expect(ids(after)).toContain('m59');
    expect(ids(before)).not.toContain('m59');
  });

  it('of an invalid file keeps the previous configuration and logs one error', async () => {
    const receiver = await receiving();
    const served = await serving(simple(receiver.url));
    await served.reroute(new UsageError('evfwd.config.yaml:3: sources.web is wrong'));
    await served.send([track(1)]);
    await receiver.atLeast(1);
    const lines = served.logged.filter((line) => line.includes('not reloaded'));
    expect(lines).toEqual([expect.stringContaining('evfwd.config.yaml:3')]);
    expect((await served.api('overview')).configurationError).toContain(':3:');
    await served.reroute(simple(receiver.url));
    expect((await served.api('overview')).configurationError).toBeNull();
  });

  it('that removes a source refuses its write key', async () => {
    const served = await serving(simple('http://127.0.0.1:9/'));
    await served.reroute({ ...simple('http://127.0.0.1:9/'), sources: [source('app')] });
    expect((await served.send([track(1)])).status).toBe(401);
    expect((await served.send([track(1)], 'k-app')).status).toBe(200);
  });
});

it('a client that takes it for a proxy, and keeps its side open, does not keep it from stopping', async () => {
  const served = await serving(simple('http://127.0.0.1:1/hook'));
  const port = Number(new URL(served.url).port);
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => undefined).write('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(client.resume(), 'end');
  await expect(served.stop()).resolves.toBeTypeOf('number');
  client.destroy();
});

it.each([
  ['headers', ''],
  ['body', '\r\n{'],
])(
  'a request whose %s have begun when the service is stopped is accepted, and its connection closed',
  async (_title, beginning) => {
    const receiver = await receiving();
    const served = await serving(simple(receiver.url));
    const body = JSON.stringify({ batch: [track(1)], writeKey: 'k-web' });
    const client = connect(Number(new URL(served.url).port), '127.0.0.1');
    const closed = once(client, 'close');
    let text = '';
    client.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const second = `POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`;
    // The response to the first shows that the beginning of the second has arrived.
    client.write(`GET /health HTTP/1.1\r\nHost: x\r\n\r\n${second}${beginning}`);
    await once(client, 'data');
    const stopped = served.stop();
    const isRefused = () =>
      fetch(`${served.url}/health`).then(
        () => false,
        () => true,
      );
    await until(isRefused, (refused) => refused);
    text = '';
    client.write(`\r\n${body}`.slice(beginning.length));
    await Promise.all([stopped, closed]);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text.toLowerCase()).toContain('connection: close');
    expect(ids(receiver)).toEqual(['m1']);
  },
);

describe('a deletion', () => {
  it('notifies the destinations of its source with exactly three members', async () => {
    const receiver = await receiving();
    const { url } = await serving(simple(receiver.url));
    const timestamp = '2026-02-03T04:05:06+02:00';
    const body = JSON.stringify({ userId: 'u1', timestamp, writeKey: 'k-web', extra: 1 });
    const response = await fetch(`${url}/v1/delete`, { method: 'POST', body });
    expect(response.status).toBe(200);
    await receiver.atLeast(1);
    expect(receiver.requests[0]!.body.toString()).toBe(
      `{"type":"delete","userId":"u1","timestamp":"${timestamp}"}`,
    );
  });

  const logOf = (stateDir: string): string =>
    readdirSync(join(stateDir, 'delivery-log'))
      .map((name) => readFileSync(join(stateDir, 'delivery-log', name), 'utf8'))
      .join('');

  it('removes the ids of the user from the delivery log, which still has its own result', async () => {
    const receiver = await receiving();
    const served = await serving(simple(receiver.url));
    await served.send([track(1, { userId: 'ada' }), track(2, { userId: 'bob' })]);
    await receiver.atLeast(2);
    await until(
      () => served.api('search?search=ada'),
      ({ events }) => events[0]?.state === 'delivered',
    );
    await served.api('deletions', { method: 'POST', body: '{"userId":"ada"}' });
    const { rows } = await served.api('deletions');
    const finalStatus = await until(
      () => served.api(`search?search=${rows[0].messageId}`),
      ({ events }) => events[0]?.state === 'delivered',
    );
    expect(finalStatus.events).toMatchObject([{ type: 'delete', state: 'delivered', user: null }]);
    expect((await served.api('search?search=m1')).events).toMatchObject([{ user: null }]);
    await served.stop();
    expect(logOf(served.stateDir)).not.toContain('ada');
    expect(logOf(served.stateDir)).toContain('bob');
  });

  it('that a crash interrupted is resumed at the next start', async () => {
    const receiver = await receiving();
    const first = await serving(simple(receiver.url));
    await first.send([track(1, { userId: 'ada' })]);
    await receiver.atLeast(1);
    await first.stop();
    expect(logOf(first.stateDir)).toContain('ada');
    // What a crash leaves: the request is durable, the delivery log is as before.
    const database = await openDatabase(join(first.stateDir, 'serve.db'));
    database.exec(`INSERT INTO deletion (source, user_id, timestamp, received_at, message_id)
      SELECT id, '"ada"', '2026-01-02T00:00:00.000Z', ${Date.now()}, 'd1' FROM name WHERE kind = 'source'`);
    database.close();
    const second = await serving(simple(receiver.url), { stateDir: first.stateDir });
    await expect.poll(() => logOf(first.stateDir)).not.toContain('ada');
    expect((await second.api('search?search=m1')).events).toHaveLength(1);
  });
});

it('an undelivered event is sent after a restart', async () => {
  const dead = await receiving(() => ({ status: 503 }));
  const first = await serving(simple(dead.url), { delivery: { retryDelaysMs: [1] } });
  await first.send([track(1)]);
  await dead.atLeast(1);
  await first.stop();
  const alive = await receiving();
  await serving(simple(alive.url), { stateDir: first.stateDir });
  await alive.atLeast(1);
  expect(ids(alive)).toEqual(['m1']);
});
