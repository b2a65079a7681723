import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { reply, reset, startRawServer, thenEnd } from '../../helpers/raw-server.js';
import { begin, pairs, send, startApp, startForwarding } from './forwarding.js';

const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

function interimOnly(socket: Socket): void {
  socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
}

describe('a forwarded request', () => {
  it('arrives with its method, path, query and bytes', async () => {
    const app = await startRawServer();
    const { port, results, ended } = await startForwarding(`http://127.0.0.1:${app.port}`);
    const path = '/a//b/../c?x=%7E&y=a+b';
    const body = Buffer.from([0, 255, 13, 10, 0x7b]);
    expect((await send(port, { method: 'PUT', path, body })).status).toBe(200);
    expect(app.requests).toMatchObject([{ method: 'PUT', path, body }]);
    await ended(1);
    expect(results).toMatchObject([{ status: 200, sentStatus: 200, error: null, bodyBytes: 0 }]);
    expect(results[0]!.url).toBe(`http://127.0.0.1:${app.port}/`);
  });

  it.each([
    ['', '/given?q=1', '/given?q=1'],
    ['/', '/given?q=1', '/given?q=1'],
    ['/hook', '/given?q=1', '/hook'],
    ['/hook/?key=1', '/given?q=1', '/hook/?key=1'],
    ['?key=1', '/given', '/?key=1'],
  ])('goes to a URL that ends with %j, sent to %j, as %j', async (ending, path, expected) => {
    const app = await startRawServer();
    const { port, results, ended } = await startForwarding(`http://127.0.0.1:${app.port}${ending}`);
    await send(port, { path });
    expect(app.requests[0]!.path).toBe(expected);
    await ended(1);
    expect(results[0]!.url).not.toContain('key');
  });

  it('keeps the order, spelling and duplicates of its headers', async () => {
    const app = await startRawServer();
    const { port } = await startForwarding(app.url);
    const headers = ['X-B', '1', 'x-a', 'caf\xe9', 'X-B', '2', 'Stripe-Signature', 't=1,v1=ab'];
    await send(port, { headers, body: 'hi' });
    expect(app.requests[0]!.headers).toEqual([
      ['Host', `127.0.0.1:${app.port}`],
      ...pairs(headers),
      ['Content-Length', '2'],
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-Host', 'hooks.example'],
      ['X-Forwarded-Proto', 'http'],
      ['Connection', 'keep-alive'],
    ]);
  });

  it('loses hop-by-hop headers and those that Connection names', async () => {
    const app = await startRawServer();
    const { port } = await startForwarding(app.url);
    const named = ['X-Hop', '1', 'X-Stays', '2'];
    const connection = ['Connection', 'close, x-hop', 'TE', 'trailers', 'Keep-Alive', 'timeout=9'];
    await send(port, { headers: [...connection, ...named, 'Proxy-Authorization', 'Basic x'] });
    const names = app.requests[0]!.headers.map(([name]) => name.toLowerCase());
    expect(names.filter((name) => !name.startsWith('x-forwarded'))).toEqual([
      ...['host', 'x-stays', 'content-length', 'connection'],
    ]);
    expect(app.requests[0]!.headers).toContainEqual(['Connection', 'keep-alive']);
  });

  it('is reused by proxies before: X-Forwarded-For is extended, the others stay', async () => {
    const app = await startRawServer();
    const { port } = await startForwarding(app.url);
    const headers = [
      ...['X-Forwarded-For', '203.0.113.7', 'x-forwarded-for', '10.0.0.1'],
      ...['X-Forwarded-Host', 'public.example', 'X-Forwarded-Proto', 'https'],
    ];
    await send(port, { headers });
    expect(app.requests[0]!.headers.filter(([name]) => /^x-forwarded/i.test(name))).toEqual([
      ['X-Forwarded-For', '203.0.113.7'],
      ['x-forwarded-for', '10.0.0.1, 127.0.0.1'],
      ['X-Forwarded-Host', 'public.example'],
      ['X-Forwarded-Proto', 'https'],
    ]);
  });

  it('that was chunked has a length instead', async () => {
    const app = await startRawServer();
    const { port } = await startForwarding(app.url);
    const socket = connect(port);
    socket.write(
      'POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n1\r\n!\r\n0\r\n\r\n',
    );
    await app.arrived(1);
    expect(app.requests[0]!.body.toString()).toBe('hi!');
    expect(app.requests[0]!.headers).toContainEqual(['Content-Length', '3']);
    socket.destroy();
  });

  it.each(['GET', 'DELETE', 'HEAD'])('by %s has no length without a body', async (method) => {
    const app = await startRawServer();
    const { port } = await startForwarding(app.url);
    await send(port, { method });
    expect(app.requests[0]!.headers.map(([name]) => name)).not.toContain('Content-Length');
  });

  it('may be OPTIONS * and GET with a body', async () => {
    const app = await startRawServer();
    const { port } = await startForwarding(`http://127.0.0.1:${app.port}`);
    await send(port, { method: 'OPTIONS', path: '*' });
    await send(port, { method: 'GET', body: 'hi' });
    expect(app.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...['OPTIONS *', 'GET /'],
    ]);
    expect(app.requests[1]!.body.toString()).toBe('hi');
  });
});

describe('the response of the app', () => {
  it('reaches the sender with reason, headers and bytes as they are', async () => {
    const body = Buffer.from('\x1f\x8b not inflated', 'latin1');
    const headers = ['X-B: 1', 'x-a: caf\xe9', 'X-B: 2', 'Set-Cookie: a=1', 'Set-Cookie: b=2'];
    const all = [...headers, 'Content-Encoding: gzip', `content-length: ${body.length}`];
    const start = `HTTP/1.1 418 I am a teapot\r\n${all.join('\r\n')}\r\n\r\n`;
    const app = await startRawServer({
      response: () => Buffer.concat([Buffer.from(start, 'latin1'), body]),
    });
    const { port, results, ended } = await startForwarding(app.url);
    const answer = await send(port);
    expect(answer).toMatchObject({ status: 418, reason: 'I am a teapot', body });
    const expected = all.map((line) => line.split(': '));
    expect(pairs(answer.rawHeaders).slice(0, all.length)).toEqual(expected);
    await ended(1);
    expect(results[0]).toMatchObject({ headers: expected, bodyExcerpt: body });
  });

  it('loses hop-by-hop headers, those that Connection names, and trailers', async () => {
    const response =
      'HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=3\r\nTrailer: X-T\r\n' +
      'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\n\r\n';
    const app = await startRawServer({ response: () => response });
    const { port, results, ended } = await startForwarding(app.url);
    const answer = await send(port);
    expect(answer.body.toString()).toBe('ok');
    expect(answer.headers).not.toHaveProperty('x-hop');
    expect(answer.headers).not.toHaveProperty('trailer');
    await ended(1);
    expect(results[0]!.headers).toEqual([]);
  });

  it.each([301, 302, 307, 308])('may be a redirect %i, which is not followed', async (status) => {
    const app = await startRawServer({ response: () => reply(status, { location: '/else' }) });
    const { port } = await startForwarding(app.url);
    const answer = await send(port);
    expect([answer.status, answer.headers.location]).toEqual([status, '/else']);
    expect(app.requests).toHaveLength(1);
  });

  it.each([
    ['HEAD', 200, 'content-length: 7\r\n'],
    ['POST', 204, ''],
    ['POST', 304, 'content-length: 7\r\n'],
  ])('to %s has no body with status %i', async (method, status, length) => {
    const app = await startRawServer({ response: () => `HTTP/1.1 ${status} X\r\n${length}\r\n` });
    const { port, results, ended } = await startForwarding(app.url);
    const answer = await send(port, { method });
    expect(answer).toMatchObject({ status, body: Buffer.alloc(0) });
    expect(answer.headers['content-length']).toBe(length === '' ? undefined : '7');
    await ended(1);
    expect(results[0]).toMatchObject({ status, error: null, bodyBytes: 0 });
  });

  it.each(['Content-Length: 2', 'CONTENT-LENGTH: 0', 'Transfer-Encoding: chunked'])(
    'has no length with status 204, even if the app sends %s',
    async (line) => {
      const app = await startRawServer({
        response: () => `HTTP/1.1 204 X\r\nA: b\r\n${line}\r\n\r\n`,
      });
      const { port, results, ended } = await startForwarding(app.url);
      const answer = await send(port);
      expect(answer).toMatchObject({ status: 204, headers: { a: 'b' }, body: Buffer.alloc(0) });
      expect(answer.headers).not.toHaveProperty('content-length');
      expect(answer.headers).not.toHaveProperty('transfer-encoding');
      await ended(1);
      expect(results[0]).toMatchObject({ status: 204, headers: [['A', 'b']] });
    },
  );

  it.each(['100 Continue', '102 Processing', '103 Early Hints'])(
    'is the final one after %s',
    async (interim) => {
      const app = await startRawServer({
        response: () => `HTTP/1.1 ${interim}\r\nLink: x\r\n\r\n${reply(201)}`,
      });
      const { port } = await startForwarding(app.url);
      expect((await send(port)).status).toBe(201);
    },
  );

  it('streams: what the app has sent arrives before its end', async () => {
    const app = await startApp((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      response.write('data: 1\n\n');
      release = () => response.end('data: 2\n\n');
    });
    let release = (): unknown => undefined;
    const { port, results, ended } = await startForwarding(app);
    const message = await begin(port);
    const [first] = (await once(message, 'data')) as [Buffer];
    expect(first.toString()).toBe('data: 1\n\n');
    expect(results).toEqual([]);
    release();
    expect((await buffer(message)).toString()).toBe('data: 2\n\n');
    await ended(1);
    expect(results[0]!.bodyExcerpt.toString()).toBe('data: 1\n\ndata: 2\n\n');
  });

  it('is kept to 64 KB, and counted whole', async () => {
    const body = Buffer.alloc(200_000, 'abc');
    const app = await startApp((_request, response) => response.end(body));
    const { port, results, ended } = await startForwarding(app);
    expect((await send(port)).body.equals(body)).toBe(true);
    await ended(1);
    expect(results[0]!.bodyBytes).toBe(200_000);
    expect(results[0]!.bodyExcerpt.equals(body.subarray(0, 65_536))).toBe(true);
  });

  it('waits for a slow sender instead of filling memory', async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let written = 0;
    let isBlocked = false;
    const app = await startApp((_request, response) => {
      const write = (): void => {
        isBlocked = false;
        if (written++ === 256) response.end();
        else if (response.write(chunk)) write();
        else {
          isBlocked = true;
          response.once('drain', write);
        }
      };
      write();
    });
    const { port, results, ended } = await startForwarding(app);
    const message = await begin(port);
    message.pause();
    // All buffers on the way are full when nothing moves for many turns.
    for (let turns = 0, last = 0; turns < 500; turns = written === last ? turns + 1 : 0) {
      last = written;
      await nextTurn();
    }
    expect(isBlocked).toBe(true);
    expect(written).toBeLessThan(128);
    message.destroy();
    await ended(1);
    expect(results[0]).toMatchObject({ status: 200, error: 'aborted' });
  });
});

describe('without a whole response', () => {
  it.each([
    ['nobody listens', 'refused', 502, undefined],
    ['the app resets', 'reset', 502, reset],
    ['the app closes', 'reset', 502, thenEnd('')],
    ['the status line breaks off', 'reset', 502, thenEnd('HTTP/1.1 20')],
    ['it is not HTTP', 'protocol', 502, thenEnd('SSH-2.0-x\r\n')],
    ['a header is invalid', 'protocol', 502, thenEnd('HTTP/1.1 200 OK\r\nA b: c\r\n\r\n')],
    ['a value is invalid', 'protocol', 502, thenEnd('HTTP/1.1 200 OK\r\nA: \x01\r\n\r\n')],
    ['the status is none', 'protocol', 502, thenEnd('HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n')],
    ['the reason is invalid', 'protocol', 502, thenEnd('HTTP/1.1 200 a\x01b\r\n\r\n')],
    ['it switches protocols', 'protocol', 502, thenEnd(switching)],
    ['it says nothing', 'timeout', 504, (): void => undefined],
    ['only an interim one comes', 'timeout', 504, interimOnly],
  ])('because %s, the sender learns %s by %i', async (_why, error, status, response) => {
    const app = await startRawServer({ response: () => response });
    if (response === undefined) await app.close();
    const { port, results, ended } = await startForwarding(app.url, { timeoutMs: 200 });
    const answer = await send(port, { body: '{}' });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    const { code, message } = JSON.parse(answer.body.toString()).error;
    expect(code).toBe(`app_${error}`);
    expect(message).not.toContain('127.0.0.1');
    await ended(1);
    expect(results).toMatchObject([{ status: null, sentStatus: status, error }]);
    expect(results[0]!.bodyExcerpt).toEqual(answer.body);
    expect(app.requests.length).toBeLessThanOrEqual(1);
  });

  it('because its name does not exist, the sender learns dns', async () => {
    const { port } = await startForwarding('http://app.invalid/');
    const answer = await send(port);
    expect([answer.status, answer.body.toString()]).toEqual([
      502,
      expect.stringContaining('app_dns'),
    ]);
  });

  it.each([
    ['its length is not reached', 'Content-Length: 100\r\n\r\npart', 'reset'],
    ['it is chunked', 'Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n', 'reset'],
    ['a chunk is invalid', 'Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\nzz\r\n', 'protocol'],
  ])('since the body broke off (%s), it breaks off for the sender', async (_why, text, error) => {
    const app = await startRawServer({ response: () => thenEnd(`HTTP/1.1 200 OK\r\n${text}`) });
    const { port, results, ended } = await startForwarding(app.url);
    const message = await begin(port);
    const got: Buffer[] = [];
    message.on('data', (chunk: Buffer) => got.push(chunk));
    const failed = await once(message, 'close').then(
      () => !message.complete,
      () => !message.complete,
    );
    expect(failed).toBe(true);
    expect(Buffer.concat(got).toString()).toBe('part');
    await ended(1);
    expect(results).toMatchObject([{ status: 200, sentStatus: 200, error, bodyBytes: 4 }]);
  });

  it('an HTTP/1.0 sender sees a reset, since an end would be that of the body', async () => {
    const app = await startRawServer({
      response: () => (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n');
        cut = () => socket.resetAndDestroy();
      },
    });
    let cut = (): unknown => undefined;
    const { port } = await startForwarding(app.url);
    const socket = connect(port);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (text.endsWith('part')) cut();
    });
    socket.write('POST / HTTP/1.0\r\n\r\n');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
    expect(text).toMatch(/part$/);
  });
});
