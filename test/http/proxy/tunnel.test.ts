import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemNetwork } from '../../../src/http/network.js';
import { privateNetworkGuard } from '../../../src/net/private-networks.js';
import type { ResolveAll } from '../../../src/net/resolver.js';
import type { WebhookTarget, WebhookTargetOptions } from '../../../src/webhook/target.js';
import { hasOpenssl, makeCertificates, type Certificates } from '../../helpers/certificates.js';
import { behindProxy, startProxy, type ProxyOptions } from '../../helpers/proxy.js';
import { reply, startRawServer } from '../../helpers/raw-server.js';
import { attemptsOf, someEvent, webhooks } from '../../helpers/webhooks.js';

function through(
  proxy: string,
  url: string,
  options: Partial<WebhookTargetOptions> = {},
): WebhookTarget {
  return webhooks(url, { endpoints: [{ url, proxy }], ...options });
}

/** One attempt through a proxy that does this: what it was, and its description. */
async function attemptAt(
  options: ProxyOptions,
  {
    url = 'http://hook.example.test/',
    ...rest
  }: Partial<WebhookTargetOptions> & { url?: string } = {},
): Promise<[string, string | undefined, string]> {
  const proxy = await startProxy(options);
  const outcome = await through(proxy.url, url, rest).deliver(someEvent);
  const { detail } = outcome.attempts[0]!;
  return [attemptsOf(outcome).join(), detail, proxy.url];
}

it('requests go through one tunnel that is used again, to a name that only the proxy knows', async () => {
  const server = await startRawServer();
  const proxy = await startProxy();
  const target = through(proxy.url, behindProxy(server.url));
  for (let i = 0; i < 5; i++) {
    expect(attemptsOf(await target.deliver(someEvent))).toEqual(['200: delivered']);
  }
  expect(proxy.requests).toEqual([
    { authority: `hook.example.test:${server.port}`, authorization: undefined },
  ]);
  expect(server.requests).toHaveLength(5);
  expect(server.requests[0]!.headers).toContainEqual(['host', `hook.example.test:${server.port}`]);
});

it('many events at once have a tunnel each, and no response is mixed with another', async () => {
  const server = await startRawServer({
    response: ({ body }) =>
      reply(400, {}, (JSON.parse(String(body)) as { messageId: string }).messageId),
  });
  const proxy = await startProxy();
  const target = through(proxy.url, behindProxy(server.url), { concurrency: 8 });
  const ids = Array.from({ length: 50 }, (_, n) => `m${n}`);
  const outcomes = await Promise.all(
    ids.map((messageId) => target.deliver({ ...someEvent, messageId })),
  );
  expect(outcomes.map(({ attempts }) => attempts[0]?.response?.body)).toEqual(ids);
  expect(proxy.requests.length).toBeLessThanOrEqual(8);
});

it('user and password of its URL are sent to the proxy alone, decoded', async () => {
  const server = await startRawServer();
  const proxy = await startProxy();
  const url = proxy.url.replace('//', '//us%40er:p%C3%A4ss%3A%2F@');
  await through(url, behindProxy(server.url)).deliver(someEvent);
  const expected = `Basic ${Buffer.from('us@er:päss:/').toString('base64')}`;
  expect(proxy.requests.map(({ authorization }) => authorization)).toEqual([expected]);
  expect(JSON.stringify(server.requests[0]!.headers)).not.toContain('Basic');
});

it.each(['http://127.0.0.1', 'http://localhost', 'http://[::ffff:127.0.0.1]'])(
  '%s is reached without the proxy',
  async (origin) => {
    const server = await startRawServer();
    const proxy = await startProxy();
    const target = through(proxy.url, `${origin}:${server.port}/`);
    expect(attemptsOf(await target.deliver(someEvent))).toEqual(['200: delivered']);
    expect(proxy.requests).toEqual([]);
  },
);

it('the guard judges what stands in the URL, and the proxy may be at a private address', async () => {
  const server = await startRawServer();
  const proxy = await startProxy();
  const guard = privateNetworkGuard();
  const attempt = async (url: string) =>
    attemptsOf(await through(proxy.url, url, { guard }).deliver(someEvent)).join();
  expect(await attempt(behindProxy(server.url))).toBe('200: delivered');
  expect(await attempt(server.url)).toBe('private_address: failed');
  expect(await attempt('http://192.168.7.7/')).toBe('private_address: failed');
});

const big = `x-pad: ${'.'.repeat(17 * 1024)}\r\n`;

it.each<[string, string, string | ((socket: Socket) => unknown), RegExp]>([
  [
    '407',
    'proxy_auth',
    'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\n',
    /requires a user and a password.*HTTP 407/,
  ],
  [
    '502',
    'proxy_status',
    'HTTP/1.1 502 Bad\r\n\r\nno',
    /did not connect to hook\.example\.test:80: HTTP 502 Bad Gateway$/,
  ],
  ['a redirect', 'proxy_status', 'HTTP/1.1 302 F\r\nLocation: http://a/\r\n\r\n', /HTTP 302 Found/],
  ['101', 'proxy_status', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', /HTTP 101/],
  ['garbage', 'proxy_status', '\x00\x01 what\r\n\r\n', /response of the proxy .* is not HTTP$/],
  ['a status out of range', 'proxy_status', 'HTTP/1.1 20000 OK\r\n\r\n', /HTTP 20000$/],
  ['headers without an end', 'proxy_status', `HTTP/1.1 200 OK\r\n${big}`, /is not HTTP$/],
  [
    'interim responses without an end',
    'proxy_status',
    'HTTP/1.1 100 Go\r\n\r\n'.repeat(1_001),
    /is not HTTP$/,
  ],
  ['nothing, and a close', 'proxy_refused', (socket) => socket.end(), /closed the connection$/],
  [
    'a part of its headers, and a close',
    'proxy_refused',
    'HTTP/1.1 200 OK\r\nVia: a',
    /closed the connection$/,
  ],
  ['a reset', 'proxy_refused', (socket) => socket.resetAndDestroy(), /closed the connection$/],
])('a proxy that answers CONNECT with %s is %s', async (_, code, answer, why) => {
  const [attempt, detail, proxy] = await attemptAt({ response: () => answer });
  expect(attempt).toBe(`${code}: retry`);
  expect(detail).toMatch(why);
  expect(detail).toContain(proxy);
});

it('a proxy that hangs is proxy_timeout, a server behind it that hangs timeout', async () => {
  const [attempt, detail] = await attemptAt(
    { response: () => () => undefined },
    { timeoutMs: 100 },
  );
  expect([attempt, detail]).toEqual([
    'proxy_timeout: retry',
    expect.stringMatching(/did not respond in time \(100 ms\)$/),
  ]);
  const server = await startRawServer({ response: () => undefined });
  const late = await attemptAt({}, { url: behindProxy(server.url), timeoutMs: 100 });
  expect(late.slice(0, 2)).toEqual(['timeout: retry', 'timed out after 100 ms']);
});

it('a proxy where nothing listens, or whose name is not found, is proxy_refused', async () => {
  const proxy = await startProxy();
  await proxy.close();
  const url = 'http://hook.example.test/';
  const refused = await through(proxy.url, url).deliver(someEvent);
  expect([attemptsOf(refused), refused.message]).toEqual([
    ['proxy_refused: retry'],
    `http://hook.example.test/: connection refused by the proxy ${proxy.url} (1 attempt)`,
  ]);
  const resolve: ResolveAll = (host, _options, callback) =>
    callback(Object.assign(new Error(host), { code: 'ENOTFOUND' }));
  const network = { ...systemNetwork, resolve };
  const lost = await through('http://u:secret@proxy.test:1', url, { network }).deliver(someEvent);
  expect([attemptsOf(lost), lost.message]).toEqual([
    ['proxy_refused: retry'],
    'http://hook.example.test/: the host name of the proxy http://proxy.test:1 was not found (1 attempt)',
  ]);
});

it('a tunnel that breaks is reset, and one that broke while it was idle is replaced', async () => {
  const [attempt] = await attemptAt({
    response: () => (socket: Socket) =>
      socket.write('HTTP/1.1 200 OK\r\n\r\n', () => socket.once('data', () => socket.destroy())),
  });
  expect(attempt).toBe('reset: retry');
  const server = await startRawServer({
    // The first connection ends at its second request.
    onConnection: (socket, index) => {
      if (index === 0) socket.once('data', () => socket.once('data', () => socket.destroy()));
    },
  });
  const proxy = await startProxy();
  const target = through(proxy.url, behindProxy(server.url));
  for (let i = 0; i < 3; i++) {
    expect(attemptsOf(await target.deliver(someEvent))).toEqual(['200: delivered']);
  }
  expect(proxy.requests).toHaveLength(2);
});

it.each([
  ['interim responses', 'HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
  [
    'headers of a body that there is not',
    'HTTP/1.0 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  ['another 2xx', 'HTTP/1.1 204 No Content\r\n\r\n'],
])('a tunnel opens with %s', async (_, accepts) => {
  const server = await startRawServer();
  const [attempt] = await attemptAt({ accepts }, { url: behindProxy(server.url) });
  expect(attempt).toBe('200: delivered');
});

it('bytes right behind the response to CONNECT are of the server', async () => {
  const first = reply(200);
  const [attempt] = await attemptAt({
    response: () => (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${first}`),
  });
  expect(attempt).toBe('200: delivered');
});

it('a response to CONNECT may arrive byte by byte', async () => {
  const server = await startRawServer();
  const proxy = await startProxy({ accepts: 'HTTP/1.1 200 OK\r\nVia: 1.1 p\r\n' });
  const target = through(proxy.url, behindProxy(server.url));
  const delivery = target.deliver(someEvent);
  await expect.poll(() => proxy.requests.length).toBe(1);
  const [socket] = proxy.sockets;
  socket!.setNoDelay(true);
  for (const byte of '\r\n') socket!.write(byte);
  expect(attemptsOf(await delivery)).toEqual(['200: delivered']);
});

describe.skipIf(!hasOpenssl)('with TLS (needs openssl)', () => {
  let certificates: Certificates;
  beforeAll(() => void (certificates = makeCertificates()));
  const trusting = () => ({ ca: [certificates.ca] });

  it('an https server gets its requests through one tunnel, over one TLS session', async () => {
    const body = 'x'.repeat(12_000);
    for (const tls of [undefined, certificates.good]) {
      const server = await startRawServer({
        tls: certificates.wrongHost,
        response: (_request, index) => reply(index === 1 ? 400 : 200, {}, body),
      });
      const proxy = await startProxy(tls ? { tls } : {});
      const target = through(proxy.url, behindProxy(server.url, 'elsewhere.example'), trusting());
      const outcomes = [];
      for (let i = 0; i < 4; i++) {
        const properties = { text: 'y'.repeat(i * 9_000) };
        outcomes.push(await target.deliver({ ...someEvent, properties }));
      }
      expect(outcomes.flatMap(attemptsOf)).toEqual([
        '200: delivered',
        '400: failed',
        '200: delivered',
        '200: delivered',
      ]);
      expect(outcomes[1]!.attempts[0]!.response?.body).toBe(body.slice(0, 4096));
      expect(proxy.requests).toHaveLength(1);
    }
  });

  it('an http server behind an https proxy gets its requests', async () => {
    const server = await startRawServer();
    const proxy = await startProxy({ tls: certificates.good });
    const target = through(proxy.url, behindProxy(server.url), trusting());
    for (let i = 0; i < 3; i++) {
      expect(attemptsOf(await target.deliver(someEvent))).toEqual(['200: delivered']);
    }
    expect(proxy.requests).toHaveLength(1);
  });

  it('a certificate that is not trusted is tls, and the message says whose it is', async () => {
    const [untrusted, ofProxy, proxy] = await attemptAt({ tls: certificates.good });
    expect([untrusted, ofProxy]).toEqual([
      'tls: failed',
      `proxy ${proxy}: the certificate is not trusted, its issuer is unknown; nothing was sent (pass the CA certificate with --ca)`,
    ]);
    const server = await startRawServer({ tls: certificates.good });
    const [wrongHost, detail] = await attemptAt(
      {},
      { ...trusting(), url: behindProxy(server.url) },
    );
    expect([wrongHost, detail]).toEqual([
      'tls: failed',
      expect.stringMatching(/^the certificate is not for hook\.example\.test/),
    ]);
  });

  it('a proxy that does not speak TLS is proxy_status', async () => {
    const plain = await startRawServer({
      onConnection: (socket) => socket.once('data', () => socket.end(reply(400))),
    });
    const url = `https://127.0.0.1:${plain.port}`;
    const outcome = await through(url, 'http://hook.example.test/').deliver(someEvent);
    expect(attemptsOf(outcome)).toEqual(['proxy_status: retry']);
    expect(outcome.message).toMatch(/TLS handshake with the proxy .* use http:\/\//);
  });

  it('a proxy that hangs in its TLS handshake is proxy_timeout, a server timeout', async () => {
    const silent = await startRawServer({ response: () => undefined });
    const url = `https://127.0.0.1:${silent.port}`;
    const outcome = await through(url, 'http://hook.example.test/', { timeoutMs: 100 }).deliver(
      someEvent,
    );
    expect(attemptsOf(outcome)).toEqual(['proxy_timeout: retry']);
    const behind = behindProxy(`https://localhost:${silent.port}/`);
    expect((await attemptAt({}, { url: behind, timeoutMs: 100 }))[0]).toBe('timeout: retry');
  });

  it('a connection that is closed in the TLS handshake behind the proxy is reset', async () => {
    const server = await startRawServer({
      onConnection: (socket) => socket.once('data', () => socket.destroy()),
    });
    const url = behindProxy(`https://localhost:${server.port}/`);
    expect((await attemptAt({}, { url, ...trusting() }))[0]).toBe('reset: retry');
  });

  it('garbage behind the response to CONNECT does not pass for TLS', async () => {
    const accepts = 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n';
    const server = await startRawServer({ tls: certificates.good });
    const [attempt] = await attemptAt({ accepts }, { url: behindProxy(server.url), ...trusting() });
    expect(attempt).toBe('protocol: retry');
  });
});
