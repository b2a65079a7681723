import { spawn } from 'node:child_process';
import { TLSSocket } from 'node:tls';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasOpenssl, makeCertificates, type Certificates } from '../helpers/certificates.js';
import { reply, startRawServer, type RawServer } from '../helpers/raw-server.js';
import { someEvent, attemptsOf, attemptOnce, webhooks } from '../helpers/webhooks.js';

const library = fileURLToPath(new URL('../../dist/esm/index.js', import.meta.url));

/** A process of its own answers while this one is still busy with the writing. */
const fastServer = `
  import { createServer } from 'node:tls';
  let connections = 0;
  const server = createServer({ key: process.env.KEY, cert: process.env.CERT }, (socket) => {
    connections++;
    socket.setNoDelay(true).on('error', () => undefined);
    // A request comes in one record, and nothing follows before its answer.
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\n\\r\\n'));
  });
  process.on('message', () => process.send(connections));
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));`;

const bad = ['selfSigned', 'expired', 'wrongHost'] as const;

describe.skipIf(!hasOpenssl)('TLS (needs openssl, to make certificates)', () => {
  let certificates: Certificates;
  beforeAll(() => {
    certificates = makeCertificates();
  });

  const serverWith = (name: 'good' | (typeof bad)[number]): Promise<RawServer> =>
    startRawServer({ tls: certificates[name] });

  it('a certificate of a private authority is not trusted by itself', async () => {
    const server = await serverWith('good');
    expect(await attemptOnce(server.url)).toBe('tls: failed');
    expect(server.bytesReceived).toBe(0);
  });

  it('`ca` makes a private authority trusted', async () => {
    const server = await serverWith('good');
    expect(await attemptOnce(server.url, { ca: [certificates.ca] })).toBe('200: delivered');
    expect(server.requests.length).toBe(1);
  });

  it('`ca` may be a text of several certificates', async () => {
    const server = await serverWith('good');
    const ca = [`${certificates.selfSigned.cert}\n${certificates.ca}`];
    expect(await attemptOnce(server.url, { ca })).toBe('200: delivered');
  });

  it.each(bad)(
    'a certificate that is %s gets not a byte of a request, and is final',
    async (name) => {
      const server = await serverWith(name);
      const destination = webhooks(server.url, { ca: [certificates.ca], retryWindowMs: 60_000 });
      expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['tls: failed']);
      expect(server.requests.length).toBe(0);
      expect(server.bytesReceived).toBe(0);
    },
  );

  it.each(['good', ...bad] as const)(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 does not make a certificate that is %s trusted',
    async (name) => {
      const server = await serverWith(name);
      const script = `
        const { WebhookDestination } = await import(${JSON.stringify(library)});
        const endpoints = [{ url: ${JSON.stringify(server.url)} }];
        const destination = new WebhookDestination({ endpoints, retryWindowMs: 0 });
        const { attempts } = await destination.deliver(${JSON.stringify(someEvent)});
        console.log(attempts[0].error, attempts[0].verdict);
        await destination.close();`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      });
      expect(await text(child.stdout)).toBe('tls failed\n');
      expect(server.bytesReceived).toBe(0);
    },
  );

  it('a connection over TLS is used again', async () => {
    const server = await serverWith('good');
    const destination = webhooks(server.url, { ca: [certificates.ca] });
    for (let i = 0; i < 5; i++) {
      expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['200: delivered']);
    }
    expect(server.sockets.length).toBe(1);
  });

  it('connections over TLS are kept, however fast the answers come', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', fastServer], {
      env: { ...process.env, KEY: certificates.good.key, CERT: certificates.good.cert },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    try {
      const [port] = (await once(child, 'message')) as [number];
      const url = `https://localhost:${port}/hook`;
      const destination = webhooks(url, { ca: [certificates.ca], concurrency: 16 });
      const outcomes = await Promise.all(
        Array.from({ length: 2_000 }, () => destination.deliver(someEvent)),
      );
      expect(outcomes.every(({ verdict }) => verdict === 'delivered')).toBe(true);
      child.send('count');
      expect(await once(child, 'message')).toContain(16);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('a new connection takes up the session of the one before', async () => {
    const reused: boolean[] = [];
    const server = await startRawServer({
      tls: certificates.good,
      onConnection: (socket) =>
        reused.push(socket instanceof TLSSocket && socket.isSessionReused()),
      response: () => reply(200, { connection: 'close' }),
    });
    const destination = webhooks(server.url, { ca: [certificates.ca] });
    for (let i = 0; i < 3; i++) await destination.deliver(someEvent);
    expect(reused).toEqual([false, true, true]);
  });

  it('a host name is sent for SNI, an address is not, and either is checked', async () => {
    const seen: unknown[] = [];
    const server = await startRawServer({
      tls: { ...certificates.good, ALPNProtocols: ['h2', 'http/1.1'] },
      onConnection: (socket) => {
        if (!(socket instanceof TLSSocket)) return;
        const { servername } = socket as { servername?: unknown };
        seen.push([servername, socket.alpnProtocol]);
      },
    });
    const ca = [certificates.ca];
    expect(await attemptOnce(server.url, { ca })).toBe('200: delivered');
    const byAddress = server.url.replace('localhost', '127.0.0.1');
    expect(await attemptOnce(byAddress, { ca })).toBe('200: delivered');
    expect(seen).toEqual([
      ['localhost', 'http/1.1'],
      [false, 'http/1.1'],
    ]);
    const other = await serverWith('wrongHost');
    const otherByAddress = other.url.replace('localhost', '127.0.0.1');
    expect(await attemptOnce(otherByAddress, { ca })).toBe('tls: failed');
  });

  it.each<[(typeof bad)[number] | 'good', string[], RegExp]>([
    ['good', [], /not trusted, its issuer is unknown; nothing was sent \(.*--ca\)/],
    ['selfSigned', ['ca'], /self-signed; nothing was sent \(.*--ca/],
    ['expired', ['ca'], /has expired; nothing was sent/],
    ['wrongHost', ['ca'], /is not for localhost, but for elsewhere\.example; nothing was sent/],
  ])('the message says what is wrong with a certificate: %s', async (name, ca, message) => {
    const server = await serverWith(name);
    const destination = webhooks(server.url, { ca: ca.length > 0 ? [certificates.ca] : [] });
    const { message: text } = await destination.deliver(someEvent);
    expect(text).toMatch(message);
    if (name === 'wrongHost' || name === 'expired') expect(text).not.toContain('--ca');
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a wanted client certificate is named, with %s',
    async (maxVersion) => {
      const mutual = { requestCert: true, rejectUnauthorized: true, maxVersion };
      const server = await startRawServer({ tls: { ...certificates.good, ...mutual } });
      const destination = webhooks(server.url, { ca: [certificates.ca] });
      const outcome = await destination.deliver(someEvent);
      expect(attemptsOf(outcome)).toEqual(['protocol: retry']);
      expect(outcome.message).toMatch(
        /require.? a client certificate; pass one with --cert and --key/,
      );
    },
  );

  it('plain HTTP spoken to a TLS port is retried, and https:// proposed', async () => {
    const server = await serverWith('good');
    const url = server.url.replace('https://localhost', 'http://127.0.0.1');
    const outcome = await webhooks(url).deliver(someEvent);
    expect(attemptsOf(outcome)).toEqual(['reset: retry']);
    expect(outcome.message).toContain('use https://');
    expect(server.bytesReceived).toBe(0);
  });
});

it('TLS spoken to a port of plain HTTP is called protocol', async () => {
  const server = await startRawServer({
    onConnection: (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  });
  const outcome = await webhooks(server.url.replace('http://', 'https://')).deliver(someEvent);
  expect(attemptsOf(outcome)).toEqual(['protocol: retry']);
  expect(outcome.message).toContain('does not speak TLS on this port; use http://');
  expect(server.requests.length).toBe(0);
});

it('a TLS alert in response to plain HTTP is called protocol, and https:// proposed', async () => {
  const server = await startRawServer({
    response: () => Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]),
  });
  const outcome = await webhooks(server.url).deliver(someEvent);
  expect(attemptsOf(outcome)).toEqual(['protocol: retry']);
  expect(outcome.message).toContain('expects TLS on this port; use https://');
});

it('a connection that closes after the URL has responded is not told to use https://', async () => {
  const server = await startRawServer({
    response: (_request, i) =>
      i === 0 ? reply(200, { connection: 'close' }) : (socket) => socket.end(),
  });
  const destination = webhooks(server.url);
  await destination.deliver(someEvent);
  const { message } = await destination.deliver(someEvent);
  expect(message).toContain('connection closed before a response (1 attempt)');
});
