import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../../src/delivery/outcome.js';
import { EndpointQueue } from '../../src/delivery/endpoint-queue.js';
import { reply, reset, startRawServer, thenEnd, type RawAnswer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const responses: Record<string, RawAnswer> = {
  ok: reply(200),
  'ok with a body': reply(200, {}, 'x'.repeat(5_000)),
  'ok and close': reply(200, { connection: 'close' }),
  'a long body': reply(200, {}, 'x'.repeat(50_000)),
  'half a body': thenEnd('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
  'two answers': reply(200) + reply(500),
  down: reply(503),
  'interim first': `HTTP/1.1 100 Continue\r\n\r\n${reply(200)}`,
  'only interim': thenEnd('HTTP/1.1 103 Early\r\n\r\n'),
  garbage: 'garbage\r\n\r\n',
  'broken headers': 'HTTP/1.1 200 OK\r\n(none)\r\n\r\n',
  reset,
  close: (socket) => socket.end(),
};

it('whatever a server does, each post is done with once, and no connection is lost to the next', async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(responses)), {
    minLength: 1,
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 1, max: 4 }), async (script, concurrency) => {
      const server = await startRawServer({
        response: (_request, index) =>
          index < script.length ? responses[script[index]!] : reply(200),
      });
      const queue = new EndpointQueue({
        url: server.url,
        concurrency,
        timeoutMs: 5_000,
        tls: { rejectUnauthorized: true },
        clock: new VirtualClock(),
        retryWindowMs: 0,
      });
      const done: AttemptResult[][] = [];
      const postAll = (count: number): Promise<unknown> =>
        Promise.all(
          Array.from({ length: count }, () => {
            const results: AttemptResult[] = [];
            done.push(results);
            return new Promise<void>((resolve) =>
              queue.post({
                body: Buffer.from('{}'),
                headers: ['Content-Type', 'application/json'],
                attempt: 1,
                isWanted: () => true,
                begin: () => true,
                done: (result) => {
                  results.push(result);
                  resolve();
                },
              }),
            );
          }),
        );
      await postAll(script.length);
      // A connection that was not given back would leave one of these waiting for ever.
      await postAll(2 * concurrency);
      await queue.close();
      expect(done.every((results) => results.length === 1)).toBe(true);
      await server.close();
    }),
    { numRuns: 40 },
  );
});

it('sweeping drops what is wanted no more, and begins nothing', async () => {
  const server = await startRawServer({ response: () => undefined });
  const queue = new EndpointQueue({
    ...{ url: server.url, concurrency: 1, timeoutMs: 5_000, retryWindowMs: 0 },
    tls: { rejectUnauthorized: true },
    clock: new VirtualClock(),
  });
  const begun: string[] = [];
  const done: string[] = [];
  const post = (name: string, isWanted = true): void =>
    queue.post({
      ...{ body: Buffer.from('{}'), headers: [], attempt: 1 },
      isWanted: () => isWanted,
      begin: () => begun.push(name) > 0,
      done: () => done.push(name),
    });
  post('in flight');
  post('wanted');
  post('unwanted', false);
  await server.arrived(1);
  queue.sweep();
  expect(begun).toEqual(['in flight']);
  await queue.close();
  expect([begun, done]).toEqual([
    ['in flight', 'wanted'],
    ['in flight', 'wanted'],
  ]);
});

describe('a URL that is wholly down', () => {
  function queueTo(url: string, concurrency: number) {
    const clock = new VirtualClock();
    const told: boolean[] = [];
    const queue = new EndpointQueue({
      ...{ url, concurrency, clock, timeoutMs: 5_000, retryWindowMs: 3_600_000 },
      tls: { rejectUnauthorized: true },
      onDown: (isDown) => told.push(isDown),
    });
    const results: AttemptResult[] = [];
    const post = (count: number): void => {
      for (let i = 0; i < count; i++) {
        queue.post({
          body: Buffer.from('{}'),
          headers: ['Content-Type', 'application/json'],
          attempt: 1,
          isWanted: () => true,
          begin: () => true,
          done: (result) => results.push(result),
        });
      }
    };
    return { clock, told, queue, results, post };
  }

  it('gets single requests, and then more and more of them when it answers again', async () => {
    let isDown = true;
    let inFlight = 0;
    const inFlights: number[] = [];
    const server = await startRawServer({
      response: () => (socket) => {
        inFlights.push(++inFlight);
        setImmediate(() => {
          inFlight--;
          socket.write(reply(isDown ? 503 : 200));
        });
      },
    });
    const { clock, told, queue, results, post } = queueTo(server.url, 8);
    post(150);
    await server.arrived(16);
    await turns();
    const before = server.requests.length;
    expect([before, told]).toEqual([16, [true]]);
    for (let probe = 1; probe <= 5; probe++) {
      expect(clock.waits.length).toBe(1);
      clock.advance(1_000);
      await server.arrived(before + probe);
      await turns();
      expect([server.requests.length, inFlights.at(-1)]).toEqual([before + probe, 1]);
    }
    isDown = false;
    clock.advance(1_000);
    await server.arrived(150);
    await turns();
    expect([results.length, told]).toEqual([150, [true, false]]);
    expect(Math.max(...inFlights)).toBeLessThanOrEqual(8);
    const after = inFlights.slice(before + 5);
    expect([after[0], after[1]! <= 2, Math.max(...after.slice(0, 3)) <= 4]).toEqual([
      1,
      true,
      true,
    ]);
    await queue.close();
    expect(clock.waits).toEqual([]);
  });

  it.each([0, 40])('leaves no timer behind when it is closed with %i ms gone', async (ms) => {
    const server = await startRawServer({ response: () => reply(503) });
    const { clock, queue, post } = queueTo(server.url, 4);
    post(100);
    await server.arrived(16);
    await turns();
    clock.advance(ms);
    expect(clock.waits.length).toBe(1);
    await queue.close();
    await turns();
    expect(clock.waits).toEqual([]);
  });
});

/** Time for whatever is under way on loopback to happen. */
async function turns(): Promise<void> {
  for (let i = 0; i < 30; i++) await new Promise((resolve) => setImmediate(resolve));
}

it.each([10_000, 59_000])(
  'with a retry window of %i ms it says that it takes requests again, also at a URL that hangs',
  async (windowMs) => {
    const failures = 16;
    const server = await startRawServer({
      response: (_request, index) => (index < failures ? reply(503) : undefined),
    });
    const clock = new VirtualClock();
    let available = 0;
    const queue: EndpointQueue = new EndpointQueue({
      url: server.url,
      concurrency: 64,
      timeoutMs: 5_000,
      tls: { rejectUnauthorized: true },
      clock,
      retryWindowMs: windowMs,
      onAvailable: () => {
        if (queue.wantsProbe) void post();
        if (!queue.isHeld) available++;
      },
    });
    const post = (): Promise<AttemptResult> =>
      new Promise((done) =>
        queue.post({
          ...{ body: Buffer.from('{}'), headers: [], attempt: 1, done },
          ...{ isWanted: () => true, begin: () => true },
        }),
      );
    await Promise.all(Array.from({ length: failures }, post));
    expect([queue.isHeld, available]).toEqual([true, 0]);
    for (let passed = 0; passed < 2 * windowMs; passed += 500) {
      clock.advance(500);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
    }
    expect([queue.isHeld, available > 0]).toEqual([false, true]);
    await queue.close();
  },
);

it('a body that cannot be read fails its attempt, and the next request is sent', async () => {
  const server = await startRawServer();
  const queue = new EndpointQueue({
    url: server.url,
    concurrency: 1,
    timeoutMs: 5_000,
    tls: { rejectUnauthorized: true },
    clock: new VirtualClock(),
    retryWindowMs: 0,
  });
  const post = (readBody: () => Buffer): Promise<AttemptResult> =>
    new Promise((done) =>
      queue.post({
        get body() {
          return readBody();
        },
        ...{ headers: [], attempt: 1, done, isWanted: () => true, begin: () => true },
      }),
    );
  const failed = await post(() => {
    throw new Error('an event is not in its block');
  });
  expect(failed).toMatchObject({ status: null, verdict: 'retry' });
  expect(await post(() => Buffer.from('{}'))).toMatchObject({ verdict: 'delivered' });
  expect(server.requests).toHaveLength(1);
  await queue.close();
});
