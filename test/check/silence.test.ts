import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { afterEachTest } from '../helpers/after-each.js';
import { startEndpoint } from './helpers/endpoint.js';
import { runSome, verdictOf } from './helpers/run-some.js';

const closers: (() => void)[] = [];

afterEachTest(() => {
  for (const close of closers.splice(0)) close();
});

test('an endpoint that is silent about what is no event has not gone', async () => {
  const { url } = await startEndpoint(({ message, body }) => {
    const isEvent = message.method === 'POST' && body.at(-1) === '}'.charCodeAt(0);
    if (isEvent) return 204;
  });
  const odd = ['refuse.bad-json', 'refuse.empty', 'http.get', 'http.head', 'http.options'];
  const ids = ['accept.track', ...odd, 'load.parallel'];
  const results = await runSome(url, ids, { deadlineMs: 1_000 });
  const verdicts = results.map(({ check, verdict }) => `${check.id} ${verdict}`);
  expect(verdicts).toEqual([
    'accept.track pass',
    'refuse.bad-json warn',
    'refuse.empty warn',
    'http.get warn',
    'http.head warn',
    'http.options info',
    'load.parallel pass',
  ]);
});

test('a deadline that is shorter than a slow body does not fail it', async () => {
  const { url } = await startEndpoint();
  const ids = ['accept.track', 'http.slow-body'];
  await expect(verdictOf(url, ids, { deadlineMs: 300 })).resolves.toBe('pass: HTTP 204');
});

test('headers without end are named', async () => {
  const server = createServer((socket) => {
    closers.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(`HTTP/1.1 204 No Content\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`);
    });
  });
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  await expect(verdictOf(url, ['accept.track'])).resolves.toContain('longer than 64 KB');
});
