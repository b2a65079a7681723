import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { sendNow, someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

const patient = () => ({ clock: new VirtualClock(), retryWindowMs: 3_600_000 });

/** A server that answers when it is told to. */
async function slowServer(status = 200) {
  const held: (() => void)[] = [];
  const server = await startRawServer({
    response: () => (socket) => held.push(() => socket.write(reply(status))),
  });
  return { server, answer: () => held.shift()!() };
}

describe('an interruption', () => {
  it('ends what waits for a retry as pending, at once', async () => {
    const server = await startRawServer({ response: () => reply(503) });
    const { clock, ...options } = patient();
    const destination = webhooks(server.url, { clock, ...options });
    const delivery = destination.deliver(someEvent);
    await clock.timers(1);
    destination.interrupt();
    expect(await delivery).toMatchObject({ verdict: 'pending', code: 'status_503' });
    expect((await delivery).message).toContain(
      `${server.url}: HTTP 503 Service Unavailable (1 attempt`,
    );
    expect(clock.waits).toEqual([]);
    await destination.drain();
  });

  it('leaves what is in flight to finish', async () => {
    const { server, answer: response } = await slowServer();
    const destination = webhooks(server.url, patient());
    const delivery = destination.deliver(someEvent);
    await server.arrived(1);
    destination.interrupt();
    response();
    expect(await delivery).toMatchObject({ verdict: 'delivered' });
  });

  it.each([
    [503, 'pending'],
    [404, 'failed'],
  ])('does not retry what is in flight and gets a %i: %s', async (status, verdict) => {
    const { server, answer: response } = await slowServer(status);
    const { clock, ...options } = patient();
    const destination = webhooks(server.url, { clock, ...options });
    const delivery = destination.deliver(someEvent);
    await server.arrived(1);
    destination.interrupt();
    response();
    expect(await delivery).toMatchObject({ verdict, code: `status_${status}` });
    expect(clock.waits).toEqual([]);
  });

  it('ends what has not had its turn as pending, unsent', async () => {
    const { server, answer: response } = await slowServer();
    const destination = webhooks(server.url, { ...patient(), concurrency: 1 });
    const [first, ...others] = [1, 2, 3].map(() => sendNow(destination));
    await server.arrived(1);
    destination.interrupt();
    for (const outcome of await Promise.all(others)) {
      expect(outcome).toMatchObject({ verdict: 'pending', code: 'interrupted', attempts: [] });
    }
    response();
    expect((await first!).verdict).toBe('delivered');
    expect(server.requests.length).toBe(1);
  });

  it('ends what waits for the end of a pause as pending', async () => {
    const server = await startRawServer({ response: () => reply(429, { 'retry-after': '600' }) });
    const { clock, ...options } = patient();
    const destination = webhooks(server.url, { clock, ...options });
    const first = destination.deliver(someEvent);
    await clock.timers(2);
    const second = destination.deliver(someEvent);
    await Promise.resolve();
    destination.interrupt();
    expect([(await first).verdict, (await second).verdict]).toEqual(['pending', 'pending']);
    expect(server.requests.length).toBe(1);
  });

  it('takes nothing new', async () => {
    const server = await startRawServer();
    const destination = webhooks(server.url);
    destination.interrupt();
    expect(await destination.deliver(someEvent)).toEqual({
      verdict: 'pending',
      messageId: 'm1',
      attempts: [],
      code: 'interrupted',
      message: `${server.url}: interrupted before it was sent`,
    });
    expect(server.sockets.length).toBe(0);
  });

  it.each([false, true])(
    'leaves an event pending that one URL has refused and another has not seen (allUrls: %s)',
    async (allUrls) => {
      const refusing = await startRawServer({ response: () => reply(404) });
      const { server, answer } = await slowServer();
      let refuseBoth!: () => void;
      const bothRefused = new Promise<void>((resolve) => (refuseBoth = resolve));
      let refused = 0;
      const destination = webhooks([refusing.url, server.url], {
        ...patient(),
        concurrency: 1,
        allUrls,
        onAttempt: () => {
          if (++refused === 2) refuseBoth();
        },
      });
      const first = sendNow(destination);
      const second = sendNow(destination, 'm2');
      await Promise.all([server.arrived(1), bothRefused]);
      destination.interrupt();
      expect(await second).toMatchObject({ verdict: 'pending', code: 'interrupted' });
      expect(attemptsOf(await second)).toEqual(['404: failed']);
      answer();
      expect((await first).verdict).toBe(allUrls ? 'failed' : 'delivered');
    },
  );

  it('keeps the success that one URL has given', async () => {
    const taking = await startRawServer();
    const { server } = await slowServer();
    const pausing = await startRawServer({ response: () => reply(503) });
    const { clock, ...options } = patient();
    let responded = 0;
    let bothResponded!: () => void;
    const twoResponses = new Promise<void>((resolve) => (bothResponded = resolve));
    const destination = webhooks([taking.url, server.url, pausing.url], {
      clock,
      ...options,
      timeoutMs: 100,
      onAttempt: () => {
        if (++responded === 2) bothResponded();
      },
    });
    const delivery = destination.deliver(someEvent);
    await Promise.all([server.arrived(1), twoResponses]);
    destination.interrupt();
    clock.advance(100);
    expect((await delivery).verdict).toBe('delivered');
  });
});

describe('closing a target', () => {
  it.each([
    ['a retry', 1, {}],
    ['the end of a pause', 2, { 'retry-after': '600' }],
  ])('ends what waits for %s as pending, and no timer is left', async (_title, timers, headers) => {
    const server = await startRawServer({ response: () => reply(503, { ...headers }) });
    const { clock, ...options } = patient();
    const destination = webhooks(server.url, { clock, ...options });
    const delivery = destination.deliver(someEvent);
    await clock.timers(timers);
    await destination.close();
    expect((await delivery).verdict).toBe('pending');
    expect(clock.waits).toEqual([]);
  });

  it('ends what is in flight as a reset, pending', async () => {
    const { server } = await slowServer();
    const destination = webhooks(server.url, patient());
    const delivery = destination.deliver(someEvent);
    await server.arrived(1);
    await destination.close();
    expect(await delivery).toMatchObject({ verdict: 'pending', code: 'reset' });
  });

  it('ends what is in flight on a connection that has answered before the same way', async () => {
    const server = await startRawServer({
      response: (_request, index) => (index === 0 ? reply(200) : undefined),
    });
    const destination = webhooks(server.url, patient());
    await destination.deliver(someEvent);
    const delivery = destination.deliver(someEvent);
    await server.arrived(2);
    await destination.close();
    expect(await delivery).toMatchObject({ verdict: 'pending', code: 'reset' });
    expect(attemptsOf(await delivery)).toEqual(['reset: retry']);
    expect(server.sockets.length).toBe(1);
  });

  it('may be done twice, and takes nothing new', async () => {
    const server = await startRawServer();
    const destination = webhooks(server.url);
    await destination.deliver(someEvent);
    await Promise.all([destination.close(), destination.close()]);
    await destination.close();
    expect((await destination.deliver(someEvent)).verdict).toBe('pending');
    expect(server.requests.length).toBe(1);
  });

  const library = fileURLToPath(new URL('../../dist/esm/index.js', import.meta.url));

  it.each<[string, string]>([
    ['a delivery', '/200'],
    ['an attempt that waits for hours to be repeated', '/503'],
    ['a URL that is paused for an hour', '/429'],
    ['a request in flight', '/silence'],
    ['a body without end', '/endless'],
    ['a connection refused', ':1'],
  ])('lets the process end by itself after %s', async (_title, path) => {
    const server = await startRawServer({
      response: ({ path: asked }) => {
        if (asked === '/silence') return undefined;
        if (asked === '/endless') return 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nx';
        return reply(asked.slice(1), { 'retry-after': '3600' });
      },
    });
    const url = path === ':1' ? 'http://127.0.0.1:1/' : new URL(path, server.url).href;
    const script = `
      const { WebhookDestination } = await import(${JSON.stringify(library)});
      const endpoints = [{ url: ${JSON.stringify(url)} }];
      let attempted;
      const onAttempt = () => attempted();
      const timeoutMs = ${path === '/silence' ? 500 : 3_600_000};
      const destination = new WebhookDestination({ endpoints, timeoutMs, onAttempt });
      const attempt = new Promise((resolve) => (attempted = resolve));
      const delivery = destination.deliver(${JSON.stringify(someEvent)});
      process.once('message', () => attempted());
      await attempt;
      process.disconnect();
      await destination.close();
      console.log((await delivery).verdict);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const printed = text(child.stdout!);
    if (path === '/silence') void server.arrived(1).then(() => child.send('now'));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(await printed).toBe(['/200', '/endless'].includes(path) ? 'delivered\n' : 'pending\n');
    expect(code).toBe(0);
  });
});
