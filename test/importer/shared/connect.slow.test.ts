import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { hasOpenssl, makeCertificates } from '../../helpers/certificates.js';
import { afterEachTest } from '../../helpers/after-each.js';
import { testQueue } from '../../helpers/queue.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';

const closers: (() => unknown)[] = [];
afterEachTest(() => {
  for (const close of closers.splice(0)) close();
});

/** A TCP server that says what `answer` makes of each chunk. */
async function pretended(answer: (text: string, socket: Socket) => string): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => socket.write(answer(data.toString('latin1'), socket)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}/0`;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function failure(url: string, options = {}): Promise<{ message: string; exitCode: number }> {
  const error: unknown = await testQueue({ url }, options).catch((caught: unknown) => caught);
  const { message, exitCode } = error as { message: string; exitCode: number };
  expect(message).not.toMatch(/hunter2|\n/);
  expect(exitCode).toBe(2);
  return { message, exitCode };
}

describe('the URL of a queue', () => {
  it.each([
    ['http://u:hunter2@host', 'is not a redis:// or rediss:// URL'],
    ['hunter2', 'is not a redis:// or rediss:// URL'],
    ['', 'is not a redis:// or rediss:// URL'],
    ['redis://u:hunter2@host/0?x=hunter2', 'has a query or a fragment'],
    ['redis://u:hunter2@host/name', 'has a path that is not the number of a database'],
    ['redis://u:hunter2@host:0/', 'has port 0'],
    ['redis://u:hunter2%zz@host', 'has a % in its user or password'],
    ['redis://:hunter2@/0', 'URL'],
  ])('%s is refused without its password', async (url, problem) => {
    expect((await failure(url)).message).toContain(problem);
  });

  it('goes with a prefix that is safe in keys', async () => {
    const { message } = await failure('redis://127.0.0.1:1', { prefix: 'a b' });
    expect(message).toContain('--queue-prefix must be');
  });
});

describe.skipIf(!hasTool('redis-server'))('connecting to a queue', () => {
  it('refuses a cluster by name', async () => {
    const server = await RedisServer.start({ 'cluster-enabled': 'yes' });
    expect((await failure(server.url)).message).toMatch(
      /^--queue redis:\/\/127\.0\.0\.1:\d+\/0: is a Redis Cluster, which is not supported; use a server without/,
    );
  });

  it('says when nothing is there', async () => {
    expect((await failure('redis://u:hunter2@127.0.0.1:1/3')).message).toBe(
      '--queue redis://127.0.0.1:1/3: connection refused; check that a Redis server is running there',
    );
    expect((await failure('redis://nosuchhost.invalid')).message).toMatch(
      /^--queue redis:\/\/nosuchhost\.invalid:6379\/0: host (?:not found|lookup failed); check/,
    );
  });

  it('says which part of the login is wrong', async () => {
    const server = await RedisServer.start({ requirepass: 'right' });
    const at = `127.0.0.1:${server.port}`;
    expect((await failure(server.url)).message).toContain('requires a password; set EVFWD_QUEUE');
    const wrong = 'the password or the user is wrong';
    expect((await failure(`redis://:hunter2@${at}/0`)).message).toContain(wrong);
    expect((await failure(`redis://nobody:hunter2@${at}/0`)).message).toContain(wrong);
    expect((await failure(`redis://:right@${at}/99`)).message).toContain(
      'has no database 99; use another number',
    );
    const { queue } = await testQueue({ url: `redis://:right@${at}/2` });
    expect(queue.url).toBe(`redis://${at}/2`);
    expect(await queue.list()).toEqual([]);
  });

  it('leaves out a password that a server does not want', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue({ url: server.url.replace('//', '//:unneeded@') });
    expect(await queue.list()).toEqual([]);
  });

  it('names a right that its user lacks', async () => {
    const server = await RedisServer.start();
    server.command('ACL', 'SETUSER', 'some', 'on', '>pass', '~*', '&*', '+@all', '-info');
    const url = server.url.replace('//', '//some:pass@');
    expect((await failure(url)).message).toContain("run the 'info' command");
    server.command('ACL', 'SETUSER', 'some', '+info', '-config', '-hmget');
    const { queue, warnings } = await testQueue({ url });
    expect(warnings).toEqual([
      expect.stringMatching(/^the server does not let its configuration be read \(CONFIG GET\)/),
    ]);
    await expect(queue.find('history-1')).rejects.toThrow(
      /^the queue server redis:\S+ refused HMGET: NOPERM .*; check the rights/,
    );
    expect((await failure(url, { requiresDurable: true })).message).toContain('--require-durable');
  });

  it('warns of each setting that may lose data', async () => {
    const good = await RedisServer.start();
    expect((await testQueue(good, { requiresDurable: true })).warnings).toEqual([]);
    const bad = await RedisServer.start({
      appendonly: 'no',
      appendfsync: 'everysec',
      'maxmemory-policy': 'allkeys-lru',
    });
    const { warnings } = await testQueue(bad);
    expect(warnings).toEqual([
      expect.stringMatching(/^the server has maxmemory-policy allkeys-lru: .*noeviction$/),
      expect.stringMatching(/^the server has appendonly no: .*appendonly yes$/),
      expect.stringMatching(/^the server has appendfsync everysec: .*appendfsync always$/),
    ]);
    const { message } = await failure(bad.url, { requiresDurable: true });
    expect(message).toContain('--require-durable: the server has maxmemory-policy allkeys-lru');
  });

  it('refuses versions that are too old or not known', async () => {
    const infoOf = (info: string) => (text: string) => {
      if (/\r\ninfo\r\n/i.test(text)) return `$${info.length}\r\n${info}\r\n`;
      return '+OK\r\n'.repeat(text.split('*').length - 1);
    };
    const old = await pretended(infoOf('# Server\r\nredis_version:6.0.16\r\n'));
    expect((await failure(old)).message).toMatch(/: is Redis 6\.0; version 6\.2 or newer/);
    const other = await pretended(infoOf('# Server\r\nname:x\r\n'));
    expect((await failure(other)).message).toContain('does not say its version');
  });

  it('says so when what is there is not Redis, or says nothing', async () => {
    const http = await pretended(() => 'HTTP/1.1 400 Bad Request\r\n\r\n');
    expect((await failure(http)).message).toContain(
      'its response is not from a Redis server; check the port',
    );
    const closing = await pretended((_text, socket) => (socket.destroy(), ''));
    expect((await failure(closing)).message).toContain('closed the connection');
    const silent = await pretended(() => '');
    expect((await failure(silent)).message).toContain('timed out after 5 s; check host and port');
  });
});

describe.skipIf(!hasTool('redis-server') || !hasOpenssl)('a queue behind TLS', () => {
  async function tlsServer(kind: 'good' | 'wrongHost' | 'expired') {
    const certificates = makeCertificates();
    const plain = await RedisServer.start();
    const place = (name: string, text: string) => {
      const path = join(plain.folder, name);
      writeFileSync(path, text);
      return path;
    };
    const { cert, key } = certificates[kind];
    const port = await freePort();
    const settings = [
      ['tls-cert-file', place('cert.pem', cert)],
      ['tls-key-file', place('key.pem', key)],
      ['tls-ca-cert-file', place('ca.pem', certificates.ca)],
      ['tls-auth-clients', 'no'],
      ['tls-port', String(port)],
    ] as const;
    const set = settings.map(([name, value]) => plain.command('CONFIG', 'SET', name, value));
    return { plain, port, ca: [certificates.ca], hasTls: set.at(-1) === 'OK' };
  }

  it('is reached with its authority, and refused by name without', async () => {
    const { port, ca, plain, hasTls } = await tlsServer('good');
    expect(hasTls).toBe(true);
    const url = `rediss://127.0.0.1:${port}/0`;
    const { queue } = await testQueue({ url }, { ca });
    expect(await queue.list()).toEqual([]);
    expect((await failure(url)).message).toContain('is not trusted; pass the certificate of its');
    const mixed = await failure(`redis://127.0.0.1:${port}/0`);
    expect(mixed.message).toMatch(/for a port with TLS use rediss:\/\//);
    const reversed = await failure(`rediss://127.0.0.1:${plain.port}/0`, { ca });
    expect(reversed.message).toMatch(/use redis:\/\//);
  });

  it('must have a certificate for its name that is valid', async () => {
    const wrong = await tlsServer('wrongHost');
    const { message } = await failure(`rediss://127.0.0.1:${wrong.port}/0`, { ca: wrong.ca });
    expect(message).toContain('its certificate is for another host');
    const expired = await tlsServer('expired');
    const other = await failure(`rediss://127.0.0.1:${expired.port}/0`, { ca: expired.ca });
    expect(other.message).toContain('its certificate has expired');
  });
});
