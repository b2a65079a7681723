import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Analytics } from '@segment/analytics-node';
import { afterEach, expect, it } from 'vitest';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { destination, serving, source, until, type Serving } from './serving.js';

interface Captured {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
}

interface Scenario {
  readonly scenario: string;
  readonly requests: readonly Captured[];
}

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** A service for the captured clients, and its webhook. */
async function forwarding(): Promise<{ served: Serving; receiver: Receiver }> {
  const receiver = await startReceiver();
  closing.push(receiver.close);
  const served = await serving({
    sources: [
      source('captured', { writeKey: 'cKITwritekey0000000000001' }),
      source('web', { writeKey: 'k1' }),
    ],
    destinations: [destination('crm', receiver.url)],
  });
  return { served, receiver };
}

/** Resolves when nothing is in flight to the webhook. */
async function allDelivered(served: Serving): Promise<void> {
  await until(
    () => served.api('overview'),
    ({ destinations: [crm] }) => crm.queued === 0 && crm.retrying === 0,
  );
}

const folder = new URL('../../fixtures/wire/', import.meta.url);

const scenarios = readdirSync(folder).flatMap((file) =>
  (JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Scenario[]).map(
    ({ scenario, requests }) => [scenario, requests] as const,
  ),
);

it.each(scenarios)('resent requests of %s are forwarded once', async (_title, requests) => {
  const { served, receiver } = await forwarding();
  for (const captured of requests) await replay(served, captured);
  await allDelivered(served);
  const once = receiver.json();
  expect(new Set(once.map(({ messageId }) => messageId)).size).toBe(once.length);
  expect(once.length).toBeGreaterThan(0);
  for (const captured of requests) await replay(served, captured);
  await allDelivered(served);
  expect(receiver.requests.length).toBe(once.length);
});

async function replay({ url }: Serving, { url: path, headers, bodyText }: Captured): Promise<void> {
  const { authorization, 'content-encoding': encoding } = headers;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      ...(authorization && { authorization }),
      ...(encoding && { 'content-encoding': encoding }),
    },
    body: encoding === 'gzip' ? gzipSync(bodyText) : bodyText,
  });
  expect(response.status).toBe(200);
}

it('a published client that loses responses and resends causes no duplicates', async () => {
  const { served, receiver } = await forwarding();
  const cutting = await startCutting(Number(new URL(served.url).port), 2);
  const analytics = new Analytics({ writeKey: 'k1', host: cutting.url, flushAt: 10 });
  for (let i = 0; i < 30; i++) analytics.track({ userId: 'u', event: `e${i}` });
  await analytics.closeAndFlush();
  await allDelivered(served);
  expect(cutting.requests()).toBe(5);
  const events = receiver.json().map(({ event }: { event: string }) => event);
  expect(events.sort()).toEqual(Array.from({ length: 30 }, (_, i) => `e${i}`).sort());
});

/** A proxy that closes the connection instead of passing on the first responses. */
async function startCutting(port: number, responses: number) {
  let left = responses;
  let requests = 0;
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1');
    const cut = (): void => {
      client.destroy();
      service.destroy();
    };
    client.on('data', (bytes) => {
      if (bytes.toString('latin1').startsWith('POST ')) requests++;
      service.write(bytes);
    });
    service.on('data', (bytes) => {
      if (left-- > 0) cut();
      else client.write(bytes);
    });
    for (const socket of [client, service]) socket.on('error', cut).on('close', cut);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests: () => requests };
}
