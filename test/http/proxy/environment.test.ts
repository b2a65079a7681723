import { expect, it } from 'vitest';
import { proxyOfEnvironment } from '../../../src/http/proxy/environment.js';

type Variables = Readonly<Record<string, string>>;

it.each<[url: string, env: Variables, url: string | undefined, variable?: string]>([
  ['http://a.test/', {}, undefined],
  ['http://a.test/', { http_proxy: 'http://p:1' }, 'http://p:1', 'http_proxy'],
  ['http://a.test/', { HTTP_PROXY: 'http://p:1' }, 'http://p:1', 'HTTP_PROXY'],
  [
    'http://a.test/',
    { http_proxy: 'http://p:1', HTTP_PROXY: 'http://q:1' },
    'http://p:1',
    'http_proxy',
  ],
  [
    'https://a.test/',
    { https_proxy: 'http://p:1', HTTPS_PROXY: 'http://q:1' },
    'http://p:1',
    'https_proxy',
  ],
  ['https://a.test/', { HTTPS_PROXY: 'http://q:1' }, 'http://q:1', 'HTTPS_PROXY'],
  // Neither stands in for the other.
  ['https://a.test/', { http_proxy: 'http://p:1', HTTP_PROXY: 'http://p:1' }, undefined],
  ['http://a.test/', { https_proxy: 'http://p:1' }, undefined],
  ['http://a.test/', { all_proxy: 'http://p:1' }, undefined],
  // An empty one counts.
  ['http://a.test/', { http_proxy: '', HTTP_PROXY: 'http://q:1' }, undefined],
  ['http://a.test/', { http_proxy: 'http://p:1', NO_PROXY: 'a.test' }, undefined],
  ['http://a.test/', { http_proxy: 'http://p:1', no_proxy: 'a.test' }, undefined],
  [
    'http://a.test/',
    { http_proxy: 'http://p:1', no_proxy: '', NO_PROXY: 'a.test' },
    'http://p:1',
    'http_proxy',
  ],
  ['http://a.test/', { http_proxy: 'http://p:1', no_proxy: 'b.test' }, 'http://p:1', 'http_proxy'],
])('%s with %j', (url, env, proxy, variable) => {
  const found = proxyOfEnvironment(new URL(url), env);
  expect(found).toEqual(proxy === undefined ? undefined : { url: proxy, variable });
});
