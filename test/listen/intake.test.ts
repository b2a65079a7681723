import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { MemoryLimiter } from '../../src/listen/memory-limiter.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { startApp } from './forward/forwarding.js';
import { listening } from './listening.js';

const body = Buffer.from(`{"type":"track","event":"${'a'.repeat(200_000)}"}`);
const uploadTimeoutMs = 10_000;

/** For one of these bodies at a time. */
function limiterForOne() {
  const clock = new VirtualClock();
  return { clock, memory: new MemoryLimiter({ bytes: 300_000, uploadTimeoutMs }, clock) };
}

async function post(url: string, sent: Buffer | string = body): Promise<number> {
  return (await fetch(url, { method: 'POST', body: sent })).status;
}

/** Begins an upload, which ends when the test says so. */
async function upload(port: number): Promise<{ socket: Socket; reply: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.write(body.subarray(0, 1000));
  const reply = once(socket, 'data').then(([data]) => String(data));
  return { socket, reply };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

describe('without room', () => {
  it('large bodies are read one after the other, and none is refused', async () => {
    const { memory } = limiterForOne();
    const { url, got } = await listening({ memory });
    const statuses = await Promise.all(Array.from({ length: 20 }, () => post(url)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(got().every(({ bytes }) => bytes === body.length)).toBe(true);
    expect(memory.heldBytes).toBe(0);
  });

  it('a stalled upload is answered 503 while others wait, and those are received', async () => {
    const { memory, clock } = limiterForOne();
    const { url, port, got, notes } = await listening({ memory });
    const stalled = await upload(port);
    await until(() => memory.heldBytes > 0);
    const other = upload(port);
    // A small one does not wait.
    expect(await post(url, '{}')).toBe(200);
    (await other).socket.write(body.subarray(1000));
    clock.advance(uploadTimeoutMs + 1000);
    const reply = await stalled.reply;
    expect(reply).toMatch(/^HTTP\/1.1 503 .*\r\nRetry-After: 1\r\n.*"code":"busy"/s);
    expect(await (await other).reply).toMatch(/^HTTP\/1.1 200 /);
    expect(got().map(({ path }) => path)).toEqual(['/', '/slow']);
    expect(notes).toEqual([expect.stringContaining('POST /slow: refused with 503')]);
    stalled.socket.destroy();
    (await other).socket.destroy();
    await until(() => memory.heldBytes === 0);
  });

  it('an upload that is slow alone is received', async () => {
    const { memory, clock } = limiterForOne();
    const { port, arrived } = await listening({ memory });
    const slow = await upload(port);
    await until(() => memory.heldBytes > 0);
    clock.advance(5 * uploadTimeoutMs);
    slow.socket.write(body.subarray(1000));
    expect(await slow.reply).toMatch(/^HTTP\/1.1 200 /);
    await arrived(1);
    expect(memory.heldBytes).toBe(0);
    slow.socket.destroy();
  });

  it('the room of a sender that leaves is free again, whether it was read or waited', async () => {
    const { memory } = limiterForOne();
    const { url, port } = await listening({ memory });
    const [first, second] = [await upload(port), await upload(port)];
    await until(() => memory.heldBytes > 0);
    for (const { socket, reply } of [second, first]) {
      reply.catch(() => undefined);
      socket.destroy();
    }
    await until(() => memory.heldBytes === 0);
    expect(await post(url)).toBe(200);
  });

  it('a request is not read while an app has not answered those before it', async () => {
    const { memory, clock } = limiterForOne();
    const answers: (() => void)[] = [];
    const app = await startApp((request, response) => {
      request.resume();
      answers.push(() => response.end('from the app'));
    });
    const { url, port, got } = await listening({ memory, forward: app });
    const first = post(url);
    await until(() => answers.length === 1);
    const waiting = await upload(port);
    // Its request line is read before that of the next one.
    await fetch(`${url}/_evfwd/api/stats`);
    clock.advance(3 * uploadTimeoutMs + 1000);
    expect(await waiting.reply).toMatch(/^HTTP\/1.1 503 /);
    waiting.socket.destroy();
    const next = post(url);
    answers[0]!();
    expect(await first).toBe(200);
    await until(() => answers.length === 2);
    answers[1]!();
    expect(await next).toBe(200);
    expect(got()).toHaveLength(2);
    expect(memory.heldBytes).toBe(0);
  });
});

it('a body whose length is not known holds room for the largest', async () => {
  const memory = new MemoryLimiter({ bytes: 10_000_000, uploadTimeoutMs });
  const { port, arrived } = await listening({ memory });
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n');
  await until(() => memory.heldBytes > 0);
  expect(memory.heldBytes).toBeGreaterThanOrEqual(1_048_576);
  socket.write('0\r\n\r\n');
  await arrived(1);
  expect(memory.heldBytes).toBe(0);
  socket.destroy();
});

it('the events of a large batch are still known when an app has answered', async () => {
  const app = await startApp((request, response) => {
    request.resume();
    response.end();
  });
  const { url, got, journal, arrived } = await listening({ forward: app });
  const noted: number[] = [];
  journal.watch({ added: (_, { events }) => noted.push(events.length) });
  const batch = Array.from({ length: 500 }, (_, i) => ({ type: 'track', messageId: `m${i}` }));
  expect(await post(url, JSON.stringify({ batch }))).toBe(200);
  await arrived(1);
  expect(noted).toEqual([500]);
  expect(got()[0]!.summary.events).toBe(500);
});

it('the headers of an app count as what is kept', async () => {
  const app = await startApp((request, response) => {
    request.resume();
    response.writeHead(200, { 'X-Large': 'x'.repeat(10_000) }).end();
  });
  const { url, got, arrived } = await listening({ forward: app });
  await post(url, '{}');
  await arrived(1);
  expect(got()[0]!.keptBytes).toBeGreaterThan(10_000);
});
