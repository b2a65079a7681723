import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.js';
import { refuseLoop } from '../../../src/listen/forward/refuse-loop.js';

const outer = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe('a URL of the receiver itself', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:4400/'],
    ['127.0.0.1', 'http://localhost:4400/hook?key=secret'],
    ['127.0.0.1', 'http://LOCALHOST.:4400'],
    ['127.0.0.1', 'http://app.localhost:4400'],
    ['127.0.0.1', 'http://0.0.0.0:4400'],
    ['127.0.0.1', 'http://0:4400'],
    ['127.0.0.1', 'http://2130706433:4400'],
    ['127.0.0.1', 'http://[::ffff:127.0.0.1]:4400'],
    ['127.0.0.1', 'https://localhost:4400'],
    ['::1', 'http://[::1]:4400'],
    ['::1', 'http://[0:0:0:0:0:0:0:1]:4400'],
    ['::1', 'http://localhost:4400'],
    ['localhost', 'http://127.0.0.1:4400'],
    ['0.0.0.0', 'http://127.0.0.1:4400'],
    ['0.0.0.0', 'http://127.9.9.9:4400'],
    ['0.0.0.0', `http://${outer ?? '127.0.0.1'}:4400`],
    ['::', 'http://[::1]:4400'],
    ['::', 'http://localhost:4400'],
  ])('is refused: listening on %s, forwarding to %s', async (host, url) => {
    const refused = refuseLoop(url, host, 4400);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(/^--forward http\S+:4400\/\S* is this receiver itself/);
    await expect(refused).rejects.not.toThrow(/secret/);
  });

  it.each([
    ['http://localhost', 80],
    ['https://localhost/hook', 443],
  ])('is known by the usual port: %s', async (url, port) => {
    await expect(refuseLoop(url, '127.0.0.1', port)).rejects.toThrow('a loop');
  });

  it('is not one with another port or another address', async () => {
    const urls: [string, string, number][] = [
      ['http://localhost:3000', '127.0.0.1', 4400],
      ['http://localhost', '127.0.0.1', 4400],
      ['http://localhost:4400', '127.0.0.1', 0],
      ['http://127.0.0.2:4400', '127.0.0.1', 4400],
      ['http://203.0.113.1:4400', '0.0.0.0', 4400],
      ['http://app.invalid:4400', '127.0.0.1', 4400],
    ];
    for (const [url, host, port] of urls) {
      await expect(refuseLoop(url, host, port)).resolves.toBeUndefined();
    }
  });
});
