import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { idle } from '../../../src/check/groups/http-connections.js';
import { verify } from '../../../src/sign/x-signature.js';
import { reply, reset, startRawServer, thenEnd } from '../../helpers/raw-server.js';
import { startEndpoint, type Behaviour } from '../helpers/endpoint.js';
import { runSome, verdictOf } from '../helpers/run-some.js';

describe.each([
  ['http.get', 'GET'],
  ['http.head', 'HEAD'],
])('%s', (id, method) => {
  it.each([
    [405, 'pass: HTTP 405'],
    [404, 'pass: HTTP 404'],
    [200, 'pass: HTTP 200'],
    [302, 'pass: HTTP 302'],
    [500, `warn: ${method} was answered HTTP 500`],
    [429, 'pass: HTTP 429'],
  ])('judges HTTP %i', async (status, verdict) => {
    const { url, arrived } = await startEndpoint(({ message }) =>
      message.method === 'POST' ? 204 : status,
    );
    expect(await verdictOf(url, [id])).toBe(verdict);
    const { message, body } = arrived[0]!;
    expect(message.method).toBe(method);
    expect(message.headers).not.toHaveProperty('content-type');
    expect(message.headers).not.toHaveProperty('x-signature');
    expect(body).toHaveLength(0);
  });

  it('warns of a request that hangs', async () => {
    const { url } = await startEndpoint(() => undefined);
    expect(await verdictOf(url, [id], { deadlineMs: 50 })).toMatch(/^warn: .*timed out/);
  });
});

describe('http.options', () => {
  const allowing =
    (headers: Record<string, string>, status = 200): Behaviour =>
    (_, response) => {
      response.writeHead(status, headers).end();
    };

  it.each([
    [
      'no part in it',
      () => 404,
      'HTTP 404, without WebHook-Allowed-Origin: CloudEvents validation is not supported',
    ],
    ['an error', () => 500, 'OPTIONS was answered HTTP 500'],
    [
      'permission for this origin',
      allowing({ 'WebHook-Allowed-Origin': 'evfwd.example', 'WebHook-Allowed-Rate': '100' }),
      'WebHook-Allowed-Origin and WebHook-Allowed-Rate are well-formed',
    ],
    [
      'permission for all',
      allowing({ 'webhook-allowed-origin': '*', 'webhook-allowed-rate': '*' }),
      'WebHook-Allowed-Origin and WebHook-Allowed-Rate are well-formed',
    ],
    [
      'another origin',
      allowing({ 'WebHook-Allowed-Origin': 'other.example', 'WebHook-Allowed-Rate': '100' }),
      'WebHook-Allowed-Origin is neither the origin that was asked for (evfwd.example) nor *',
    ],
    [
      'no rate',
      allowing({ 'WebHook-Allowed-Origin': '*' }),
      'WebHook-Allowed-Rate is missing, though a rate was asked for',
    ],
    [
      'a rate with a unit',
      allowing({ 'WebHook-Allowed-Origin': '*', 'WebHook-Allowed-Rate': '100/min' }),
      'WebHook-Allowed-Rate is neither a whole number above 0 nor *',
    ],
  ] as [string, Behaviour, string][])('reports %s', async (_, behaviour, message) => {
    const { url, arrived } = await startEndpoint(behaviour);
    expect(await verdictOf(url, ['http.options'])).toBe(`info: ${message}`);
    expect(arrived[0]!.message.headers).toMatchObject({
      'webhook-request-origin': 'evfwd.example',
      'webhook-request-rate': '120',
    });
  });
});

describe('http.keep-alive', () => {
  it('passes where ten events go over one connection', async () => {
    const { url, arrived } = await startEndpoint();
    expect(await verdictOf(url, ['http.keep-alive'])).toBe('pass: 10 events on one connection');
    expect(new Set(arrived.map(({ message }) => message.socket)).size).toBe(1);
  });

  it.each([
    ['says that it closes', () => reply(200, { connection: 'close' })],
    ['closes without a word', () => thenEnd(reply(204))],
  ])('warns of a server that %s after each response', async (_, response) => {
    const server = await startRawServer({ response });
    expect(await verdictOf(server.url, ['http.keep-alive'])).toMatch(
      /^warn: (10 events needed 10 connections, expected 1|event \d+ on the connection was not accepted)/,
    );
  });

  it('warns where an event on the connection is refused', async () => {
    const { url } = await startEndpoint(({ index }) => (index === 4 ? 500 : 204));
    expect(await verdictOf(url, ['http.keep-alive'])).toBe(
      'warn: event 5 on the connection was not accepted: HTTP 500',
    );
  });
});

describe('http.idle', () => {
  const waitsMs = [50, 100, 200];

  it('passes where connections outlast the waits', async () => {
    const { url, arrived } = await startEndpoint();
    expect(await verdictOf(url, [idle(waitsMs)])).toBe(
      'info: a connection was still good after 200 ms idle',
    );
    expect(new Set(arrived.map(({ message }) => message.socket)).size).toBe(3);
    expect(arrived).toHaveLength(6);
  });

  it('names the limit of a server that closes idle connections early', async () => {
    // Both connections are idle from the same time on. The event after the first wait lets the server
    // close the other one, which would wait for an hour.
    const sockets: Socket[] = [];
    const server = await startRawServer({
      response: () => (socket) => {
        sockets.push(socket);
        if (sockets.length === 2) for (const each of sockets) each.write(reply(204));
        if (sockets.length !== 3) return;
        socket.write(reply(204));
        sockets.find((other) => other !== socket)!.end();
      },
    });
    expect(await verdictOf(server.url, [idle([50, 3_600_000])])).toMatch(
      /^info: an idle connection is closed after [\d.]+ m?s/,
    );
  });

  it('names a connection that was forgotten without a word', async () => {
    const onConnection = new Map<number, number>();
    const server = await startRawServer({
      response: ({ connection }) => {
        const count = (onConnection.get(connection) ?? 0) + 1;
        onConnection.set(connection, count);
        return count === 1 ? reply(204) : reset;
      },
    });
    expect(await verdictOf(server.url, [idle(waitsMs)])).toBe(
      'info: an event after 50 ms idle: no response: connection closed before a response',
    );
  });

  it('is not judged where each connection is closed at once', async () => {
    const server = await startRawServer({ response: () => reply(200, { connection: 'close' }) });
    expect(await verdictOf(server.url, [idle(waitsMs)])).toBe(
      'na: the endpoint closes each connection after its response',
    );
  });
});

describe('bodies that come in another way', () => {
  const status =
    (wrong: number, isWrong: (headers: Record<string, unknown>) => boolean): Behaviour =>
    ({ message }) =>
      isWrong(message.headers) ? wrong : 204;

  it('http.chunked sends a signed event in chunks', async () => {
    const { url, arrived } = await startEndpoint();
    expect(await verdictOf(url, ['http.chunked'])).toBe('pass: HTTP 204');
    const { message, body } = arrived[0]!;
    expect(message.headers['transfer-encoding']).toBe('chunked');
    expect(verify(body, String(message.headers['x-signature']), 'topsecret')).toBe(true);
  });

  it.each([
    [408, 'pass: HTTP 408'],
    [411, 'warn: the event was not accepted: HTTP 411'],
    [500, 'warn: the event was not accepted: HTTP 500'],
  ])('http.chunked judges HTTP %i', async (code, verdict) => {
    const { url } = await startEndpoint(
      status(code, (headers) => headers['content-length'] === undefined),
    );
    expect(await verdictOf(url, ['http.chunked'])).toBe(verdict);
  });

  it('http.slow-body fails where only the first half is read', async () => {
    const server = await startRawServer({
      onConnection: (socket) => socket.once('data', () => socket.write(reply(500))),
    });
    expect(await verdictOf(server.url, ['http.slow-body'])).toBe(
      'warn: the event was not accepted: HTTP 500',
    );
  });

  it('http.slow-body passes where the whole body is awaited', async () => {
    const { url, arrived } = await startEndpoint();
    expect(await verdictOf(url, ['http.slow-body'])).toBe('pass: HTTP 204');
    const { message, body } = arrived[0]!;
    expect(verify(body, String(message.headers['x-signature']), 'topsecret')).toBe(true);
  });

  it('http.early-close passes where the next event is accepted', async () => {
    const { url, arrived } = await startEndpoint();
    expect(await verdictOf(url, ['http.early-close'])).toBe('pass: HTTP 204');
    expect(arrived).toHaveLength(1);
  });

  it('http.early-close warns of a server that does not survive half a body', async () => {
    const { url, server } = await startEndpoint();
    server.on('request', (message) => message.on('aborted', () => server.close()));
    expect(await verdictOf(url, ['http.early-close'])).toBe(
      'warn: the event after half a body was not accepted: no response: connection refused',
    );
  });

  it('http.early-close warns of HTTP 500 to half a body', async () => {
    const server = await startRawServer({
      onConnection: (socket) => socket.once('data', () => socket.write(reply(500))),
    });
    expect(await verdictOf(server.url, ['http.early-close'])).toBe(
      'warn: half a body was answered HTTP 500',
    );
  });

  it('http.expect-100 reports 100, or its absence', async () => {
    const { url } = await startEndpoint();
    expect(await verdictOf(url, ['http.expect-100'])).toBe('info: HTTP 100, then HTTP 204');
    const silent = await startRawServer({ response: () => reply(204) });
    expect(await verdictOf(silent.url, ['http.expect-100'])).toBe(
      'info: HTTP 204, without HTTP 100 before',
    );
  });

  it('http.expect-100 names a refusal', async () => {
    const { url, server } = await startEndpoint();
    server.on('checkExpectation', () => undefined);
    server.on('checkContinue', (_, response) => response.writeHead(417).end());
    expect(await verdictOf(url, ['http.expect-100'])).toBe('info: Expect: 100-continue: HTTP 417');
  });
});

describe('http.gzip', () => {
  const announcing =
    (encodings: string, code = 204): Behaviour =>
    ({ message }, response) => {
      const isGzip = message.headers['content-encoding'] === 'gzip';
      response.writeHead(isGzip ? code : 204, { 'Accept-Encoding': encodings }).end();
    };

  it('is not sent unless a response announced gzip', async () => {
    for (const encodings of ['br', 'identity', 'gzip;q=0']) {
      const { url, arrived } = await startEndpoint(announcing(encodings));
      expect(await verdictOf(url, ['accept.track', 'http.gzip'])).toMatch(/^na: no response had/);
      expect(arrived).toHaveLength(1);
    }
  });

  it.each([
    [204, 'info: HTTP 204'],
    [415, 'info: HTTP 415'],
    [500, 'info: gzip: HTTP 500, expected 2xx or 415'],
  ])('reports HTTP %i', async (code, verdict) => {
    const { url, arrived } = await startEndpoint(announcing('gzip, identity', code));
    expect(await verdictOf(url, ['accept.track', 'http.gzip'])).toBe(verdict);
    const { message, body } = arrived[1]!;
    expect(verify(body, String(message.headers['x-signature']), 'topsecret')).toBe(true);
    expect(JSON.parse(gunzipSync(body).toString())).toMatchObject({ userId: 'evfwd-check' });
  });

  it('names a reset', async () => {
    const server = await startRawServer({
      response: ({ headers }) =>
        headers.some(([name]) => name === 'Content-Encoding')
          ? reset
          : reply(204, { 'accept-encoding': 'gzip' }),
    });
    expect(await verdictOf(server.url, ['accept.track', 'http.gzip'])).toMatch(
      /^info: gzip: no response: connection closed before a response/,
    );
  });
});

describe('http.query', () => {
  it.each([
    ['', '/hook?a=b%20c'],
    ['?source=crm', '/hook?source=crm&a=b%20c'],
  ])('adds to the query "%s" of the URL', async (search, path) => {
    const { url, arrived } = await startEndpoint();
    expect(await verdictOf(url + search, ['http.query'])).toBe('pass: HTTP 204');
    expect(arrived[0]!.message.url).toBe(path);
  });

  it('warns where the whole URL is compared', async () => {
    const { url } = await startEndpoint(({ message }) => (message.url === '/hook' ? 204 : 404));
    const [, query] = await runSome(url, ['accept.track', 'http.query']);
    expect(`${query?.verdict}: ${query?.message}`).toBe(
      'warn: the event was not accepted: HTTP 404',
    );
  });
});
