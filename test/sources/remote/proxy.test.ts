import { expect, it } from 'vitest';
import { openHttp } from '../../../src/sources/remote/http.js';
import { hasOpenssl, makeCertificates } from '../../helpers/certificates.js';
import { startObjectServer } from '../../helpers/object-server.js';
import { behindProxy, startProxy } from '../../helpers/proxy.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

const bytes = Buffer.from('{"type":"track"}\n'.repeat(1_000));

async function read(url: string, proxy: string, ca?: string): Promise<Buffer> {
  const options = { clock: new VirtualClock(), proxyOf: () => proxy, ca };
  const found = await openHttp(url, options);
  const all: Buffer[] = [];
  for await (const chunk of found.read(0, found.size ?? Infinity)) all.push(chunk);
  return Buffer.concat(all);
}

it('a source is read through a proxy, with the user and the password of its URL', async () => {
  const server = await startObjectServer({ bytes });
  const proxy = await startProxy();
  const url = proxy.url.replace('//', '//user:p%40ss@');
  expect((await read(behindProxy(server.url), url)).equals(bytes)).toBe(true);
  const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  expect(proxy.requests[0]).toEqual({
    authority: behindProxy(server.url).split('/')[2],
    authorization,
  });
});

it('one of this machine is read without it', async () => {
  const server = await startObjectServer({ bytes });
  const proxy = await startProxy();
  expect((await read(server.url, proxy.url)).equals(bytes)).toBe(true);
  expect(proxy.requests).toEqual([]);
});

it.skipIf(!hasOpenssl)('over TLS with both, too (needs openssl)', async () => {
  const { ca, good, wrongHost } = makeCertificates();
  const server = await startObjectServer({ bytes, tls: wrongHost });
  const proxy = await startProxy({ tls: good });
  const url = behindProxy(server.url, 'elsewhere.example');
  expect((await read(url, proxy.url, ca)).equals(bytes)).toBe(true);
  expect(proxy.requests).not.toEqual([]);
});

it('a proxy that wants a password, or denies access, or where nothing listens, is named at once', async () => {
  const url = 'http://hook.example.test/a.ndjson';
  const closed = await startProxy({ response: () => 'HTTP/1.1 407 No\r\n\r\n' });
  await expect(read(url, closed.url.replace('//', '//u:hunter2@'))).rejects.toThrow(
    `${url}: the proxy ${closed.url} requires a user and a password, or does not accept those that it got (HTTP 407); check --proxy`,
  );
  const denying = await startProxy({ response: () => 'HTTP/1.1 403 No\r\n\r\n' });
  await expect(read(url, denying.url)).rejects.toThrow(
    `the proxy ${denying.url} did not connect to hook.example.test: HTTP 403 Forbidden; check --proxy`,
  );
  await closed.close();
  await expect(read(url, closed.url)).rejects.toThrow(
    `${url}: connection refused by the proxy ${closed.url}; check --proxy`,
  );
});
