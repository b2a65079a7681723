import { expect, it } from 'vitest';
import {
  checkProxyUrl,
  proxyAuthorization,
  shownProxy,
} from '../../../src/http/proxy/proxy-url.js';

it.each([
  'http://proxy.local:3128',
  'http://proxy.local',
  'https://proxy.local/',
  'HTTP://Proxy:3128',
  'http://user:p%40ss@proxy.local:3128',
  'http://token@[fd00::1]:3128',
])('%s is a proxy', (text) => {
  expect(() => checkProxyUrl(text, 'proxy')).not.toThrow();
});

it.each([
  ['', /^proxy: not a valid http:\/\/ or https:\/\/ URL of a proxy$/],
  ['proxy.local:3128', /; did you mean http:\/\/proxy\.local:3128\?$/],
  ['user:hunter2@proxy.local:3128', /URL of a proxy$/],
  ['http://user:hunter2@/x@proxy:3128', /percent-encoded \(@ as %40, \/ as %2F, # as %23/],
  ['http://user:hunter2/x@proxy:3128', /percent-encoded/],
  ['http://', /not a valid/],
  ['ftp://proxy', /not a valid/],
  ['socks5://user:hunter2@proxy:1080', /^proxy: SOCKS proxies are not supported/],
  ['http://proxy:3128/path', /only scheme, host and port/],
  ['http://user:hunter2?@proxy:3128', /./],
  ['http://user:12#hunter2@proxy:3128', /percent-encoded/],
  ['http://user:hunter2%@proxy:3128', /write % as %25$/],
])('%s is not', (text, why) => {
  expect(() => checkProxyUrl(text, 'proxy')).toThrow(why);
  expect(() => checkProxyUrl(text, 'proxy')).not.toThrow(/hunter2/);
});

it('credentials are decoded for the proxy, and never shown', () => {
  const text = 'http://us%20er:p%C3%A4%3Ass@proxy.local:3128';
  const basic = Buffer.from('us er:pä:ss').toString('base64');
  expect(proxyAuthorization(new URL(text))).toBe(`Basic ${basic}`);
  expect(proxyAuthorization(new URL('http://token@p'))).toBe(
    `Basic ${Buffer.from('token:').toString('base64')}`,
  );
  expect(proxyAuthorization(new URL('http://p'))).toBeUndefined();
  expect(shownProxy(text)).toBe('http://proxy.local:3128');
});
