import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RawRequest, type RawHead } from '../../../src/serve/raw/raw-request.js';
import type { IngestBatch, Source } from '../../../src/serve/types.js';
import { reply, startRawServer } from '../../helpers/raw-server.js';
import { headerOf, signingBy, standardSecret, verdictOf } from '../../helpers/signing.js';
import { destinationOf, sourceOf } from '../batches.js';
import { scene } from '../forward/scene.js';
import { routingOf } from './relaying.js';

type Scene = Awaited<ReturnType<typeof scene>>;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const head: RawHead = {
  ...{
    method: 'POST',
    path: '/in/hooks/x',
    sourcePathLength: 9,
    remoteAddress: null,
    isTls: false,
  },
  ...{ signature: 'valid', scheme: 'github', reason: null },
  headers: ['Host', 'h', 'X-Hub-Signature-256', 'sha256=00', 'Webhook-Id', 'old', 'X-Kept', '1'],
};

function batch(
  at: Scene,
  source: Source,
  id: string,
  body: Buffer = Buffer.from([0, 255]),
): IngestBatch {
  const event = RawRequest.of(head, body, source.name);
  const stamp = { messageId: id, writesMessageId: false };
  return { source, receivedAt: at.clock.now(), accepted: [{ event, stamp }], rejected: [] };
}

async function take(at: Scene, id: string, body?: Buffer): Promise<void> {
  const taken = at.forwarder.accept(batch(at, at.sources[0]!, id, body));
  at.store.commit();
  await taken;
}

async function passes({ clock, store }: Scene, ms: number, stepMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    for (let turn = 0; turn < 12; turn++) await nextTurn();
    store.commit();
  }
}

describe('a request that is signed anew', () => {
  it('is signed at each attempt, without the headers of any scheme of its sender', async () => {
    const [signing] = signingBy('standard-webhooks', standardSecret);
    const app = await startRawServer({ response: (_, index) => reply(index === 0 ? 503 : 200) });
    const routing = await routingOf(`sources:
  hooks: { type: raw, destinations: [app] }
destinations:
  app:
    allowPrivateNetworks: true
    endpoints: [{ url: '${app.url}' }]
    resign: { scheme: standard-webhooks, secret: ${standardSecret} }
`);
    const at = await scene(routing.destinations, { sources: routing.sources });
    await take(at, 'd1');
    await app.arrived(1);
    await passes(at, 20_000, 1_000);
    await app.arrived(2);
    const [first, second] = app.requests;
    expect(headerOf(first!, 'webhook-timestamp')).not.toBe(headerOf(second!, 'webhook-timestamp'));
    for (const request of app.requests) {
      expect(headerOf(request, 'x-hub-signature-256')).toBeUndefined();
      expect(headerOf(request, 'webhook-id')).toBe('d1');
      expect(headerOf(request, 'x-kept')).toBe('1');
      expect(request.body).toEqual(Buffer.from([0, 255]));
      expect(verdictOf(request, signing, at.clock.now())).toMatchObject({ valid: true });
    }
  });
});

describe('the retry window of a destination', () => {
  it('is that of its requests: with 72 hours, the last attempt comes after three days', async () => {
    const app = await startRawServer({ response: () => reply(503, { 'Retry-After': '14400' }) });
    const destination = destinationOf(app.url, { retryWindowMs: 3 * day });
    const at = await scene([destination]);
    const begun = at.clock.now();
    await take(at, 'd1');
    await app.arrived(1);
    await passes(at, 3 * day - hour, 10 * minute);
    expect(at.store.length('crm')).toMatchObject({ waiting: 1 });
    await passes(at, 2 * hour, minute);
    expect(at.store.length('crm')).toMatchObject({ waiting: 0 });
    const [letter] = at.store.views.deadLetters({ limit: 1 });
    expect(letter).toMatchObject({ type: 'POST', name: '/in/hooks/x', code: 'status_503' });
    const last = at.reported.findLast(({ state }) => state === 'failed')!;
    expect(last.at - begun).toBeGreaterThan(3 * day - minute);
  }, 60_000);
});

describe('an app that is down', () => {
  it('for three days gets all requests when it is back, but for the few that probed it', async () => {
    const state = { isDown: true };
    const bodies = new Set<string>();
    const app = await startRawServer({
      response: ({ body }) => {
        if (!state.isDown) bodies.add(body.toString('hex'));
        return reply(state.isDown ? 500 : 200);
      },
    });
    const at = await scene([destinationOf(app.url)]);
    for (let n = 0; n < 200; n++) await take(at, `d${n}`, Buffer.from([0x5b, 0x0a, n]));
    await passes(at, 3 * day, 5 * minute);
    state.isDown = false;
    await passes(at, hour, 5_000);
    expect(at.store.length('crm')).toMatchObject({ waiting: 0 });
    const lost = at.store.views.deadLetterCount('crm');
    expect(lost).toBeLessThanOrEqual(40);
    expect(bodies.size + lost).toBe(200);
  }, 120_000);

  it('gets what was stored before a restart, while the clock was set by days', async () => {
    const app = await startRawServer();
    const unreachable = destinationOf('http://127.0.0.1:9/');
    const first = await scene([unreachable], { starts: false });
    await take(first, 'd1');
    const { folder, clock } = first;
    await first.stop();
    clock.set(3 * day);
    const second = await scene([destinationOf(app.url)], { folder, clock });
    await app.arrived(1);
    expect(app.requests[0]!.body).toEqual(Buffer.from([0, 255]));
    clock.set(-5 * day);
    await take(second, 'd2');
    await app.arrived(2);
  });
});

it('what is damaged is set aside, and others are sent', async () => {
  const app = await startRawServer();
  const at = await scene([destinationOf(app.url)], { sources: [sourceOf()] });
  const broken = new RawRequest(Buffer.from('["POST"\n'), head as never);
  const stamp = { messageId: 'broken', writesMessageId: false };
  const source = at.sources[0]!;
  const accepted = [{ event: broken, stamp }];
  const taken = at.forwarder.accept({ source, receivedAt: 0, accepted, rejected: [] });
  at.store.commit();
  await taken;
  await take(at, 'd1');
  await app.arrived(1);
  expect(app.requests[0]!.body).toEqual(Buffer.from([0, 255]));
});
