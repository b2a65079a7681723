import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EndpointQueue } from '../../src/delivery/endpoint-queue.js';
import type { AttemptResult } from '../../src/delivery/outcome.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

const library = fileURLToPath(new URL('../../dist/esm/index.js', import.meta.url));

function queueTo(url: string) {
  const clock = new VirtualClock();
  const queue = new EndpointQueue({
    ...{ url, concurrency: 1, clock, timeoutMs: 5_000, retryWindowMs: 0 },
    tls: { rejectUnauthorized: true },
  });
  const post = (body: Buffer, headers: readonly string[] = []): Promise<AttemptResult> =>
    new Promise((done) =>
      queue.post({ body, headers, attempt: 1, isWanted: () => true, begin: () => true, done }),
    );
  return { queue, clock, post };
}

it('requests of any length follow each other on one connection, and none has bytes of another', async () => {
  const server = await startRawServer();
  const { queue, post } = queueTo(server.url);
  const sizes = [1, 900, 0, 1_100, 5, 15_000, 16_384, 2, 40_000, 500_000, 3];
  const bodies = sizes.map((size, i) => Buffer.alloc(size, String.fromCharCode(97 + i)));
  for (const body of bodies)
    expect((await post(body, ['X-Size', String(body.length)])).status).toBe(200);
  expect(server.sockets.length).toBe(1);
  for (const [i, request] of server.requests.entries()) {
    expect(request.body.equals(bodies[i]!)).toBe(true);
    expect(request.headers).toContainEqual(['X-Size', String(sizes[i])]);
  }
  expect(server.requests.length).toBe(sizes.length);
  await queue.close();
});

it('a response that comes before the whole request counts, and ends the connection', async () => {
  const server = await startRawServer({
    onConnection: (socket, index) => {
      if (index > 0) return;
      socket.pause();
      socket.write(reply(413));
    },
  });
  const { queue, clock, post } = queueTo(server.url);
  // More than the buffers of the system hold.
  expect((await post(Buffer.alloc(32 * 1024 * 1024))).status).toBe(413);
  const next = post(Buffer.from('{}'));
  clock.advance(100);
  expect((await next).status).toBe(200);
  expect(server.sockets.length).toBe(2);
  await queue.close();
});

describe('an idle connection', () => {
  it('on which something comes unasked is not used again', async () => {
    const server = await startRawServer();
    const destination = webhooks(server.url);
    await destination.deliver(someEvent);
    const closed = once(server.sockets[0]!, 'close');
    server.sockets[0]!.write(reply(500));
    await closed;
    expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['200: delivered']);
    expect(server.sockets.length).toBe(2);
  });

  it('is closed after 2 s', async () => {
    const server = await startRawServer();
    const clock = new VirtualClock();
    const destination = webhooks(server.url, { clock });
    await destination.deliver(someEvent);
    clock.advance(1_000);
    await destination.deliver(someEvent);
    clock.set(-3_600_000);
    clock.advance(1_999);
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
    expect([server.sockets.length, server.sockets[0]!.readableEnded]).toEqual([1, false]);
    const closed = once(server.sockets[0]!, 'close');
    clock.advance(1);
    await closed;
  });

  it('does not keep a process alive that has nothing else to do', async () => {
    const server = await startRawServer();
    const script = `
      const { WebhookDestination } = await import(${JSON.stringify(library)});
      const destination = new WebhookDestination({ endpoints: [{ url: ${JSON.stringify(server.url)} }] });
      for (let i = 0; i < 2; i++) await destination.deliver(${JSON.stringify(someEvent)});
      console.log(performance.now());
      process.on('exit', () => console.log(performance.now()));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    const [doneAt, endedAt] = (await text(child.stdout)).split('\n').map(Number);
    expect(server.sockets.length).toBe(1);
    // Not the 2 s for which the connection stays open otherwise.
    expect(endedAt! - doneAt!).toBeLessThan(1_500);
  });
});

it('an endpoint queue that is closed ends what is in flight and what waits, and takes nothing more', async () => {
  const server = await startRawServer({ response: () => undefined });
  const { queue, post } = queueTo(server.url);
  const first = post(Buffer.from('1'));
  const second = post(Buffer.from('2'));
  await server.arrived(1);
  await queue.close();
  const errors = [await first, await second, await post(Buffer.from('3'))].map(
    ({ error }) => error,
  );
  expect(errors).toEqual(['reset', 'reset', 'reset']);
  expect(server.requests.length).toBe(1);
});
