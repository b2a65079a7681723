import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { reply, reset, startRawServer, type RawServer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

const endings: readonly [string, (socket: Socket) => void][] = [
  ['resets', reset],
  ['closes', (socket) => socket.end()],
];

/** Answers the first request of each connection, and ends the connection at the second. */
function endingAtReuse(end: (socket: Socket) => void): Promise<RawServer> {
  const served = new Set<number>();
  return startRawServer({
    response: ({ connection }) => {
      if (served.has(connection)) return end;
      served.add(connection);
      return reply(200);
    },
  });
}

it('a connection serves one event after the other', async () => {
  const server = await startRawServer();
  const destination = webhooks(server.url);
  for (let i = 0; i < 20; i++) await destination.deliver(someEvent);
  expect(server.requests.length).toBe(20);
  expect(server.sockets.length).toBe(1);
});

it('a server that closes after each response gets a connection for each event', async () => {
  const server = await startRawServer({ response: () => reply(200, { connection: 'close' }) });
  const destination = webhooks(server.url, { concurrency: 1 });
  for (let i = 0; i < 3; i++) {
    expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['200: delivered']);
  }
  expect(server.sockets.length).toBe(3);
});

it('a fresh connection is not taken for one used again, though another served before it', async () => {
  const responses = [reply(200, { connection: 'close' }), reset, reply(200)];
  const server = await startRawServer({ response: (_request, index) => responses[index] });
  const destination = webhooks(server.url, { concurrency: 1 });
  await destination.deliver(someEvent);
  expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['reset: retry']);
  expect(server.requests.length).toBe(2);
});

describe.each(endings)('a server that %s a connection when it is used again', (_title, end) => {
  it('gets the same bytes once more, at once, and it is one attempt', async () => {
    const server = await endingAtReuse(end);
    const clock = new VirtualClock();
    const destination = webhooks(server.url, { clock, retryWindowMs: 60_000, sharedSecret: 's' });
    await destination.deliver(someEvent);
    const second = await destination.deliver({ ...someEvent, messageId: 'm2' });
    expect(attemptsOf(second)).toEqual(['200: delivered']);
    expect(second.attempts[0]!.attempt).toBe(1);
    expect(clock.elapsedMs).toBe(0);
    const [, first, again] = server.requests;
    expect(again).toEqual({ ...first, connection: 1 });
    expect(server.requests.length).toBe(3);
  });

  it('and ends the new one too gets the event by the schedule', async () => {
    const server = await startRawServer({
      response: (_request, index) => (index === 0 ? reply(200) : end),
    });
    const clock = new VirtualClock();
    const destination = webhooks(server.url, { clock, retryWindowMs: 60_000 });
    await destination.deliver(someEvent);
    const second = destination.deliver(someEvent);
    await clock.timers(1);
    expect(server.requests.length).toBe(3);
    expect(clock.elapsedMs).toBe(0);
    destination.interrupt();
    expect(attemptsOf(await second)).toEqual(['reset: retry']);
  });

  it('but has begun to answer does not get the event twice at once', async () => {
    const server = await startRawServer({
      response: (_request, index) =>
        index === 0 ? reply(200) : (socket) => socket.write('HTTP/1.1 ', () => end(socket)),
    });
    const destination = webhooks(server.url);
    await destination.deliver(someEvent);
    expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['reset: retry']);
    expect(server.requests.length).toBe(2);
  });

  it('is retried by the schedule when the connection is fresh', async () => {
    const server = await startRawServer({
      response: (_request, index) => (index === 0 ? end : reply(200)),
    });
    const clock = new VirtualClock();
    const destination = webhooks(server.url, { clock, retryWindowMs: 60_000 });
    const delivery = destination.deliver(someEvent);
    await clock.timers(1);
    expect(server.requests.length).toBe(1);
    expect(clock.waits[0]).toBeGreaterThanOrEqual(4_000);
    const outcome = await clock.runUntil(delivery);
    expect(attemptsOf(outcome)).toEqual(['reset: retry', '200: delivered']);
    expect(server.requests[1]!.body).toEqual(server.requests[0]!.body);
  });
});

it('many events at once over connections that are closed at reuse each arrive, and each once', async () => {
  const server = await endingAtReuse(reset);
  const destination = webhooks(server.url, { concurrency: 8 });
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      destination.deliver({ ...someEvent, messageId: `m${i}` }),
    ),
  );
  expect(outcomes.filter(({ verdict }) => verdict !== 'delivered')).toEqual([]);
  expect(outcomes.every(({ attempts }) => attempts.length === 1)).toBe(true);
});
