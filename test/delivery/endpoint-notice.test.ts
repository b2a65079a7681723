import { describe, expect, it } from 'vitest';
import { EndpointQueue } from '../../src/delivery/endpoint-queue.js';
import type { EndpointNotice } from '../../src/delivery/endpoint-notice.js';
import type { AttemptResult } from '../../src/delivery/outcome.js';
import { reply, startRawServer, type RawServer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

const hourMs = 3_600_000;
/** Below a minute, what has been down for longer is not held back. */
const shortWindowMs = 30_000;

function queueTo(
  server: RawServer,
  concurrency = 4,
  mayProbe?: () => Promise<boolean>,
  retryWindowMs = hourMs,
) {
  const clock = new VirtualClock();
  const told: EndpointNotice[] = [];
  let gone = 0;
  const queue = new EndpointQueue({
    ...{ url: server.url, concurrency, clock, timeoutMs: 5_000, retryWindowMs },
    tls: { rejectUnauthorized: true },
    disablesOnGone: true,
    onGone: () => gone++,
    mayProbe,
    onNotice: (notice) => told.push(notice),
  });
  const post = (): Promise<AttemptResult> =>
    new Promise((done) =>
      queue.post({
        body: Buffer.from('{}'),
        headers: [],
        attempt: 1,
        isWanted: () => true,
        begin: () => true,
        done,
      }),
    );
  return { clock, told, queue, post, gone: () => gone };
}

describe('what a response tells of a URL', () => {
  it.each([410, 429, 503])('by %i is told once', async (status) => {
    const server = await startRawServer({ response: () => reply(status, { 'retry-after': '60' }) });
    const { clock, told, queue, post } = queueTo(server);
    await Promise.all([post(), post()]);
    const untilMs = clock.startedAt + 60_000;
    expect(told).toEqual([status === 410 ? { kind: 'gone' } : { kind: 'paused', untilMs }]);
    await queue.close();
  });

  it.each([
    [hourMs, hourMs],
    [24 * hourMs, 4 * hourMs],
  ])(
    'is told of a pause with its limit: with a retry window of %i ms, %i ms',
    async (retryWindowMs, pauseMs) => {
      const response = (): string => reply(429, { 'retry-after': '99999' });
      const server = await startRawServer({ response });
      const { clock, told, queue, post } = queueTo(server, 4, undefined, retryWindowMs);
      await post();
      expect(told).toEqual([{ kind: 'paused', untilMs: clock.startedAt + pauseMs }]);
      await queue.close();
    },
  );

  it.each([200, 404, 500])('is nothing by %i', async (status) => {
    const server = await startRawServer({ response: () => reply(status) });
    const { told, queue, post } = queueTo(server);
    await post();
    expect(told).toEqual([]);
    await queue.close();
  });
});

describe('an endpoint queue that learns', () => {
  it('that its URL is gone sends nothing more, ends what waits, and does not tell it on', async () => {
    const server = await startRawServer({ response: () => undefined });
    const { told, queue, post, gone } = queueTo(server, 1);
    const first = post();
    const second = post();
    await server.arrived(1);
    queue.applyNotice({ kind: 'gone' });
    queue.applyNotice({ kind: 'gone' });
    expect([await second, await post()].map(({ error }) => error)).toEqual(['gone', 'gone']);
    expect([queue.gone, gone(), told, server.requests.length]).toEqual([true, 1, [], 1]);
    await queue.close();
    expect((await first).error).toBe('reset');
  });

  it('of a pause waits as long, and does not tell it on', async () => {
    const server = await startRawServer();
    const { clock, told, queue, post } = queueTo(server);
    queue.applyNotice({ kind: 'paused', untilMs: clock.startedAt + 60_000 });
    queue.applyNotice({ kind: 'paused', untilMs: clock.startedAt + 30_000 });
    const result = post();
    clock.advance(59_999);
    expect(clock.waits).toEqual([1]);
    clock.advance(1);
    expect((await result).status).toBe(200);
    expect(told).toEqual([]);
    await queue.close();
  });

  it.each([-3_600_000, 3_600_000])(
    'of a shorter pause does not cut the one it has, with the time of day set %i ms off',
    async (ms) => {
      const server = await startRawServer();
      const { clock, queue } = queueTo(server);
      queue.applyNotice({ kind: 'paused', untilMs: clock.now() + 60_000 });
      clock.set(ms);
      queue.applyNotice({ kind: 'paused', untilMs: clock.now() + 10_000 });
      expect(clock.waits).toEqual([60_000]);
      queue.applyNotice({ kind: 'paused', untilMs: clock.now() + 90_000 });
      expect(clock.waits).toEqual([90_000]);
      await queue.close();
    },
  );

  it('of a pause waits no longer than it would by a response of its own', async () => {
    const server = await startRawServer();
    const { clock, queue } = queueTo(server);
    queue.applyNotice({ kind: 'paused', untilMs: Number.MAX_SAFE_INTEGER });
    expect(clock.waits).toEqual([hourMs]);
    await queue.close();
    expect(clock.waits).toEqual([]);
  });

  it.each([-1, 0])('of a pause that ended %i ms from now sends at once', async (ms) => {
    const server = await startRawServer();
    const { clock, queue, post } = queueTo(server);
    queue.applyNotice({ kind: 'paused', untilMs: clock.startedAt + ms });
    expect(clock.waits).toEqual([]);
    expect((await post()).status).toBe(200);
    await queue.close();
  });
});

describe('an endpoint that is down', () => {
  /** Lets what is on its way arrive. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('is told once, with the reason, and once when it is up again', async () => {
    let status = 500;
    const server = await startRawServer({ response: () => reply(status) });
    const { clock, told, queue, post } = queueTo(server, 16);
    await Promise.all(Array.from({ length: 16 }, post));
    const reason = { status: 500, error: null };
    const sinceMs = clock.startedAt;
    expect(told).toEqual([{ kind: 'down', sinceMs, reason }]);
    status = 200;
    const probe = post();
    clock.advance(125);
    await probe;
    expect(told).toEqual([{ kind: 'down', sinceMs, reason }, { kind: 'up' }]);
    await queue.close();
  });

  it('as others tell gets single probes, and is not told on', async () => {
    const server = await startRawServer({ response: () => reply(500) });
    const { clock, told, queue, post } = queueTo(server);
    queue.applyNotice({ kind: 'down', sinceMs: clock.now() });
    queue.applyNotice({ kind: 'down', sinceMs: clock.now() });
    const first = post();
    const second = post();
    await settled();
    expect(server.requests.length).toBe(0);
    clock.advance(125);
    await first;
    expect([server.requests.length, told]).toEqual([1, []]);
    await queue.close();
    expect((await second).error).toBe('reset');
  });

  it('for longer than a short window, as others tell, gets all requests without a probe', async () => {
    let isAsked = false;
    const server = await startRawServer({ response: () => reply(500) });
    const ask = (): Promise<boolean> => {
      isAsked = true;
      return Promise.resolve(false);
    };
    const { clock, told, queue, post } = queueTo(server, 4, ask, shortWindowMs);
    queue.applyNotice({ kind: 'down', sinceMs: clock.now() - shortWindowMs - 1 });
    const results = await Promise.all(Array.from({ length: 100 }, post));
    expect(results.map(({ status }) => status)).toEqual(Array(100).fill(500));
    expect([isAsked, told]).toEqual([false, []]);
    await queue.close();
  });

  it('for longer than a short window, as others tell, is told to be up by its first response', async () => {
    const server = await startRawServer();
    const { clock, told, queue, post } = queueTo(server, 4, undefined, shortWindowMs);
    queue.applyNotice({ kind: 'down', sinceMs: clock.now() - shortWindowMs - 1 });
    await post();
    expect(told).toEqual([{ kind: 'up' }]);
    await queue.close();
  });

  it('gets all requests as soon as others tell that it is up, more with each response', async () => {
    const server = await startRawServer({ response: () => undefined });
    const { clock, told, queue, post } = queueTo(server);
    queue.applyNotice({ kind: 'down', sinceMs: clock.now() });
    const posts = Array.from({ length: 4 }, post);
    queue.applyNotice({ kind: 'up' });
    await server.arrived(1);
    await settled();
    expect([server.requests.length, told]).toEqual([1, []]);
    await queue.close();
    expect((await Promise.all(posts)).map(({ error }) => error)).toEqual(Array(4).fill('reset'));
  });

  it('is probed only when that is allowed, and asked for again after a second', async () => {
    const answers = [false, true, false];
    const asked: number[] = [];
    const server = await startRawServer({ response: () => reply(500) });
    const { clock, queue, post } = queueTo(server, 4, () => {
      asked.push(clock.elapsedMs);
      return Promise.resolve(answers.shift()!);
    });
    queue.applyNotice({ kind: 'down', sinceMs: clock.now() });
    const first = post();
    const second = post();
    clock.advance(125);
    await settled();
    expect([asked, server.requests.length]).toEqual([[125], 0]);
    clock.advance(1_000);
    expect((await first).status).toBe(500);
    clock.advance(1_000);
    await settled();
    expect(asked[1]).toBe(1_125);
    expect([asked.length, server.requests.length]).toEqual([3, 1]);
    await queue.close();
    expect((await second).error).toBe('reset');
  });

  it('and was refused a probe is sent to at once when it is up', async () => {
    const server = await startRawServer();
    const { clock, queue, post } = queueTo(server, 4, () => Promise.resolve(false));
    queue.applyNotice({ kind: 'down', sinceMs: clock.now() });
    const result = post();
    clock.advance(125);
    await settled();
    queue.applyNotice({ kind: 'up' });
    expect((await result).status).toBe(200);
    await queue.close();
    expect(clock.waits).toEqual([]);
  });
});

it('destinations of the same URLs tell each other by the index of the URL', async () => {
  const up = await startRawServer();
  const down = await startRawServer({ response: () => reply(410) });
  const other = webhooks([up.url, down.url], { allUrls: true, disablesOnGone: true });
  const told: [number, EndpointNotice][] = [];
  const destination = webhooks([up.url, down.url], {
    allUrls: true,
    disablesOnGone: true,
    onNotice: (queue, notice) => {
      told.push([queue, notice]);
      other.applyNotice(queue, notice);
    },
  });
  await destination.deliver(someEvent);
  expect(told).toEqual([[1, { kind: 'gone' }]]);
  expect(attemptsOf(await other.deliver(someEvent)).sort()).toEqual([
    '200: delivered',
    'gone: failed',
  ]);
  expect(down.requests.length).toBe(1);
});

it('a retry that waits ends at once when its URL is gone elsewhere', async () => {
  const server = await startRawServer({ response: () => reply(503) });
  const clock = new VirtualClock();
  const destination = webhooks(server.url, {
    ...{ clock, retryWindowMs: 3_600_000, disablesOnGone: true },
  });
  const outcome = destination.deliver(someEvent);
  await clock.timers(1);
  destination.applyNotice(0, { kind: 'gone' });
  expect(attemptsOf(await outcome)).toEqual(['503: retry', 'gone: failed']);
});
