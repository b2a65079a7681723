import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadProfile } from '../../src/config/file.js';
import { withProxy } from '../../src/config/proxy.js';
import { readRouting } from '../../src/serve/routing-file.js';
import { folderWith } from '../helpers/folder.js';

type Variables = Readonly<Record<string, string>>;

const urls = ['http://a.example/', 'https://b.example/'] as const;

/** The proxies of a profile with these settings, and those of a destination with them. */
async function proxies(
  settings: { readonly ofAll?: string; readonly own?: string },
  env: Variables = {},
): Promise<(string | undefined)[]> {
  const { ofAll, own } = settings;
  const target = `
    ${ofAll === undefined ? '' : `proxy: ${ofAll}`}
    endpoints:
      - url: ${urls[0]}
        ${own === undefined ? '' : `proxy: ${own}`}
      - url: ${urls[1]}`;
  const cwd = folderWith({
    'evfwd.config.yaml': `profiles:
  p:
   webhooks:${target}
sources: { web: { writeKey: k, destinations: [d] } }
destinations:
  d:
    type: Webhooks${target}
`,
  });
  const { webhooks } = await loadProfile({ profile: 'p', cwd, home: cwd, env });
  const { destinations } = await readRouting(join(cwd, 'evfwd.config.yaml'), env);
  const found = webhooks!.endpoints.map(({ proxy }) => proxy);
  expect(destinations[0]!.endpoints).toEqual(webhooks!.endpoints);
  expect(webhooks).not.toHaveProperty('proxy');
  return found;
}

describe('the proxies of a profile and of a destination', () => {
  it('are none without a setting, whatever the environment has', async () => {
    expect(await proxies({}, { http_proxy: 'http://p:1' })).toEqual([undefined, undefined]);
  });

  it('are those of the target, unless an endpoint has its own', async () => {
    expect(await proxies({ ofAll: 'http://all:1' })).toEqual(['http://all:1', 'http://all:1']);
    const both = { ofAll: 'http://all:1', own: 'https://own:2' };
    expect(await proxies(both)).toEqual(['https://own:2', 'http://all:1']);
    expect(await proxies({ own: 'https://own:2' })).toEqual(['https://own:2', undefined]);
  });

  it('take user and password from the environment', async () => {
    const own = 'http://u:${PROXY_PASSWORD}@own:2';
    expect(await proxies({ own }, { PROXY_PASSWORD: 'p%40' })).toEqual([
      'http://u:p%40@own:2',
      undefined,
    ]);
  });

  it('are, as env, those of the variables', async () => {
    const env = { http_proxy: 'http://plain:1', HTTPS_PROXY: 'http://tls:2' };
    expect(await proxies({ ofAll: 'env' }, env)).toEqual(['http://plain:1', 'http://tls:2']);
    const excepted = { ...env, NO_PROXY: '.example:80' };
    expect(await proxies({ ofAll: 'env' }, excepted)).toEqual([undefined, 'http://tls:2']);
    expect(await proxies({ ofAll: 'http://all:1', own: 'env' }, excepted)).toEqual([
      undefined,
      'http://all:1',
    ]);
  });

  it('are, as env, judged for a token endpoint by its own host', async () => {
    const auth = (tokenUrl: string): string =>
      `{ oauth2: { tokenUrl: '${tokenUrl}', clientId: c, clientSecret: s } }`;
    const env = {
      http_proxy: 'http://plain:1',
      https_proxy: 'http://tls:2',
      no_proxy: 'id.example',
    };
    const tokenProxies = async (proxy: string, changed?: string) => {
      const cwd = folderWith({
        'evfwd.config.yaml': `profiles:
  p:
    webhooks:
      proxy: ${proxy}
      endpoints:
        - { url: 'https://a.example/', auth: ${auth('https://id.example/token')} }
        - { url: 'https://id.example/', auth: ${auth('http://other.example/token')} }
`,
      });
      const { webhooks } = await loadProfile({ profile: 'p', cwd, home: cwd, env });
      return webhooks!.endpoints
        .map((one) => (changed === undefined ? one : withProxy(one, changed, env)))
        .map((one) => [one.proxy, one.auth && 'oauth2' in one.auth && one.auth.oauth2.proxy]);
    };
    expect(await tokenProxies('env')).toEqual([
      ['http://tls:2', null],
      [undefined, 'http://plain:1'],
    ]);
    // `--proxy` replaces both.
    const fixed = [
      ['http://flag:3', undefined],
      ['http://flag:3', undefined],
    ];
    expect(await tokenProxies('env', 'http://flag:3')).toEqual(fixed);
    expect(await tokenProxies('http://flag:3')).toEqual(fixed);
  });

  it.each([
    ['own: an address alone', { own: '"proxy:3128"' }, /endpoints\[0\]\.proxy: not a valid http/],
    ['own: SOCKS', { own: 'socks5://u:hunter2@p' }, /endpoints\[0\]\.proxy: SOCKS/],
    ['of all', { ofAll: 'http://u:hunter2@p/path' }, /yaml:\d+: [\w.]+\.proxy: a proxy is only/],
  ])('are refused by file and line, and never shown: %s', async (_, settings, why) => {
    await expect(proxies(settings)).rejects.toThrow(why);
    await expect(proxies(settings)).rejects.not.toThrow(/hunter2/);
  });

  it('name the variable that is wrong', async () => {
    const env = { http_proxy: 'u:hunter2@p' };
    await expect(proxies({ ofAll: 'env' }, env)).rejects.toThrow(
      /^http_proxy: not a valid http:\/\/ or https:\/\/ URL of a proxy$/,
    );
  });
});
