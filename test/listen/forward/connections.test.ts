import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { hasOpenssl, makeCertificates } from '../../helpers/certificates.js';
import {
  reply,
  reset,
  startRawServer,
  type RawAnswer,
  type RawServer,
} from '../../helpers/raw-server.js';
import { begin, send, startApp, startForwarding } from './forwarding.js';

/** An app that receives requests and says nothing. */
function silent(): Promise<RawServer> {
  return startRawServer({ response: () => undefined });
}

describe('a kept connection', () => {
  it('serves one request after the other', async () => {
    const app = await startRawServer();
    const { port } = await startForwarding(app.url);
    for (let i = 0; i < 3; i++) await send(port);
    expect(app.requests.map(({ connection }) => connection)).toEqual([0, 0, 0]);
  });

  it('that has died is replaced by a new one', async () => {
    const app = await startRawServer();
    const { port, results, ended } = await startForwarding(app.url);
    await send(port, { body: 'one' });
    for (const socket of app.sockets) socket.destroy();
    expect((await send(port, { body: 'two' })).status).toBe(200);
    expect(app.requests.map(({ connection, body }) => [connection, body.toString()])).toEqual([
      [0, 'one'],
      [1, 'two'],
    ]);
    await ended(2);
    expect(results[1]).toMatchObject({ status: 200, error: null });
  });

  it('that dies with a request is not replaced: the app may have got it', async () => {
    const app = await startRawServer({
      response: (_, index) => (index === 0 ? reply(200) : reset),
    });
    const { port } = await startForwarding(app.url);
    await send(port);
    expect((await send(port)).status).toBe(502);
    expect(app.requests).toHaveLength(2);
  });

  it.each([
    ['after bytes of a response', 'HTTP/1.1 2'],
    ['after an interim response', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ])('that dies %s is not replaced', async (_when, bytes) => {
    const dying: RawAnswer = (socket) => socket.write(bytes, () => socket.destroySoon());
    const app = await startRawServer({
      response: (_, index) => (index === 0 ? reply(200) : dying),
    });
    const { port, results, ended } = await startForwarding(app.url);
    await send(port);
    expect((await send(port)).status).toBe(502);
    expect(app.requests).toHaveLength(2);
    await ended(2);
    expect(results[1]!.error).toBe('reset');
  });

  it('that is silent is not replaced when its time is over', async () => {
    const app = await startRawServer({
      response: (_request, index) => (index === 0 ? reply(200) : undefined),
    });
    const { port } = await startForwarding(app.url, { timeoutMs: 100 });
    await send(port);
    expect((await send(port)).status).toBe(504);
    expect(app.requests).toHaveLength(2);
  });
});

describe('many requests', () => {
  it('at once lose none, over a limited number of connections, without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const open: ServerResponse[] = [];
    let most = 0;
    const bodies = new Set<string>();
    const app = await startApp((incoming, response) => {
      most = Math.max(most, open.push(response));
      incoming.setEncoding('utf8').once('data', (body: string) => {
        bodies.add(body);
        setImmediate(() => {
          open.splice(open.indexOf(response), 1);
          response.end(`got ${body}`);
        });
      });
    });
    const { port, results, ended } = await startForwarding(app);
    const numbers = Array.from({ length: 1_000 }, (_, i) => String(i));
    const answers = await Promise.all(numbers.map((body) => send(port, { body })));
    expect(answers.map(({ body }) => body.toString())).toEqual(numbers.map((n) => `got ${n}`));
    expect(bodies.size).toBe(1_000);
    expect(most).toBeLessThanOrEqual(128);
    await ended(1_000);
    expect(results.filter(({ error }) => error !== null)).toEqual([]);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('wait for their turn without using up their time', async () => {
    const app = await startRawServer({ response: () => undefined });
    const { port, results, ended } = await startForwarding(app.url, {
      maxConnections: 1,
      timeoutMs: 150,
    });
    const first = send(port, { body: 'one' });
    await app.arrived(1);
    const second = send(port, { body: 'two' });
    expect((await first).status).toBe(504);
    await app.arrived(2);
    app.sockets.at(-1)!.write(reply(200));
    expect((await second).status).toBe(200);
    await ended(2);
    expect(results.map(({ error }) => error)).toEqual(['timeout', null]);
  });
});

describe('a request behind an app that hangs', () => {
  it('is told that the app is busy, and is not forwarded later', async () => {
    const app = await silent();
    const { port, results, ended } = await startForwarding(app.url, {
      maxConnections: 1,
      timeoutMs: 200,
    });
    const first = send(port);
    await app.arrived(1);
    const waiting = Array.from({ length: 20 }, () => send(port));
    expect((await first).status).toBe(504);
    const answers = await Promise.all(waiting);
    const busy = answers.filter(({ status }) => status === 503);
    // The turn of the first falls to one of those that wait.
    expect(busy.length).toBeGreaterThanOrEqual(18);
    expect(JSON.parse(busy[0]!.body.toString())).toMatchObject({ error: { code: 'app_busy' } });
    await ended(21);
    expect(results.filter(({ error }) => error === 'busy')).toHaveLength(busy.length);
    expect(app.requests).toHaveLength(21 - busy.length);
  });
});

describe('a sender that goes away', () => {
  it('ends the request of the app', async () => {
    const app = await silent();
    const { port, results, ended } = await startForwarding(app.url);
    const sender = request({ port, method: 'POST' }).end();
    sender.on('error', () => undefined);
    await app.arrived(1);
    sender.destroy();
    await once(app.sockets[0]!, 'close');
    await ended(1);
    expect(results).toMatchObject([{ status: null, sentStatus: null, error: 'aborted' }]);
  });

  it('in the middle of a stream ends the stream', async () => {
    let onClose = (): void => undefined;
    const closed = new Promise<void>((resolve) => (onClose = resolve));
    const app = await startApp((_request, response) => {
      response.once('close', onClose).write('data: 1\n\n');
    });
    const { port, results, ended } = await startForwarding(app);
    const message = await begin(port);
    await once(message, 'data');
    message.destroy();
    await closed;
    await ended(1);
    expect(results).toMatchObject([
      { status: 200, sentStatus: 200, error: 'aborted', bodyBytes: 9 },
    ]);
  });

  it('before its turn is not forwarded', async () => {
    const app = await silent();
    const { port, responses, received, results, ended } = await startForwarding(app.url, {
      maxConnections: 1,
    });
    const first = send(port);
    await app.arrived(1);
    const sender = request({ port, method: 'POST', agent: false }).end();
    sender.on('error', () => undefined);
    await received(2);
    sender.destroy();
    await once(responses[1]!, 'close');
    // It leaves the queue at once.
    await ended(1);
    expect(results).toMatchObject([{ status: null, sentStatus: null, error: 'aborted' }]);
    app.sockets[0]!.write(reply(200));
    expect((await first).status).toBe(200);
    expect(app.requests).toHaveLength(1);
  });
});

describe('a body without end', () => {
  it('leaves room for other requests', async () => {
    const app = await startRawServer({
      response: (_, index) =>
        index === 0 ? 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab' : reply(201),
    });
    const { port } = await startForwarding(app.url, { maxConnections: 1 });
    const message = await begin(port);
    await once(message, 'data');
    expect((await send(port)).status).toBe(201);
  });

  it('is not ended by the time limit, which is for the status line', async () => {
    const app = await startRawServer({
      response: () => 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab',
    });
    const { port } = await startForwarding(app.url, { timeoutMs: 50 });
    const message = await begin(port);
    await once(message, 'data');
    // Another request runs into the limit meanwhile.
    const { port: other } = await startForwarding((await silent()).url, { timeoutMs: 100 });
    expect((await send(other)).status).toBe(504);
    app.sockets[0]!.write('cd');
    const [rest] = (await once(message, 'data')) as [Buffer];
    expect(rest.toString()).toBe('cd');
  });
});

describe('closing', () => {
  it('ends what is in flight and what waits, and forwards nothing more', async () => {
    const app = await silent();
    const { port, forwarder, results, ended } = await startForwarding(app.url, {
      maxConnections: 1,
    });
    const both = Promise.all([send(port), send(port)]);
    await app.arrived(1);
    await forwarder.close();
    expect((await both).map(({ status }) => status)).toEqual([502, 502]);
    expect((await send(port)).status).toBe(502);
    await ended(3);
    expect(results.map(({ error }) => error)).toEqual(['aborted', 'aborted', 'aborted']);
    expect(app.requests).toHaveLength(1);
  });
});

describe.runIf(hasOpenssl)('an app with TLS', () => {
  const { ca, good, selfSigned } = makeCertificates();

  it('is reached when its certificate is trusted, also over a kept connection', async () => {
    const app = await startRawServer({ tls: good });
    const { port } = await startForwarding(app.url, { ca: [ca] });
    expect((await send(port)).status).toBe(200);
    expect((await send(port)).status).toBe(200);
    expect(app.requests.map(({ connection }) => connection)).toEqual([0, 0]);
  });

  it.each([
    ['is not trusted', selfSigned],
    ['has an unknown issuer', good],
  ])('gets nothing when its certificate %s', async (_why, certificate) => {
    const app = await startRawServer({ tls: certificate });
    const { port, results, ended } = await startForwarding(app.url);
    expect((await send(port, { body: 'secret' })).status).toBe(502);
    expect(app.bytesReceived).toBe(0);
    await ended(1);
    expect(results[0]).toMatchObject({ status: null, error: 'tls' });
  });
});
