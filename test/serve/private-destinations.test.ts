import { expect, it } from 'vitest';
import type { ResolveAll } from '../../src/net/resolver.js';
import { logProxies, warnOfPrivateAddresses } from '../../src/serve/private-destinations.js';
import type { Destination } from '../../src/serve/types.js';

const addresses: Record<string, string> = {
  'public.example': '93.184.216.34',
  'intern.example': '10.0.0.7',
};

const resolve: ResolveAll = (hostname, _, callback) => {
  const address = addresses[hostname];
  if (address === undefined) callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
  else callback(null, [{ address, family: 4 }]);
};

/** The warnings for one destination with these URLs. */
async function warnings(urls: readonly string[], more: Partial<Destination> = {}) {
  const logged: { fields: object; message: string }[] = [];
  const nothing = (): void => undefined;
  const warn = (fields: object, message: string): void => void logged.push({ fields, message });
  const destination: Destination = {
    ...{ name: 'crm', integrationName: 'Webhooks', isEnabled: true, allowPrivateNetworks: false },
    endpoints: urls.map((url) => ({ url })),
    ...more,
  };
  const log = { debug: nothing, info: nothing, warn, error: nothing };
  await warnOfPrivateAddresses([destination], log, resolve);
  return logged;
}

it('warns of addresses and of names that lead to one, naming URLs without their query', async () => {
  const urls = [
    'http://[::1]:4400/hook?key=k',
    'https://public.example/',
    'http://intern.example/x',
  ];
  const [warning, ...rest] = await warnings(urls);
  expect(rest).toEqual([]);
  expect(warning?.fields).toEqual({
    destination: 'crm',
    url: 'http://[::1]:4400/hook http://intern.example/x',
  });
  expect(warning?.message).toContain('destinations.crm.allowPrivateNetworks');
});

it('warns of alerts that go to a private address', async () => {
  const alerts = { url: 'http://intern.example/alerts?key=k', afterMs: 1 };
  const [warning, ...rest] = await warnings(['https://public.example/'], { alerts });
  expect(rest).toEqual([]);
  expect(warning?.fields).toEqual({ destination: 'crm', url: 'http://intern.example' });
  expect(warning?.message).toMatch(/^alerts go to a private address.*allowPrivateNetworks/);
});

it.each([
  ['a public address', ['https://93.184.216.34/', 'https://public.example/'], {}],
  ['a name that is not found', ['https://nosuch.example/'], {}],
  ['a destination that may be private', ['http://127.0.0.1/'], { allowPrivateNetworks: true }],
  ['a destination that is off', ['http://127.0.0.1/'], { isEnabled: false }],
])('says nothing of %s', async (_, urls, more) => {
  expect(await warnings(urls, more)).toEqual([]);
});

it('says nothing of names behind a proxy, which only the proxy looks up', async () => {
  const proxy = 'http://user:hunter2@10.0.0.1:3128';
  const endpoints = ['http://intern.example/x', 'http://10.0.0.7/'].map((url) => ({ url, proxy }));
  const [warning, ...rest] = await warnings([], { endpoints });
  expect(rest).toEqual([]);
  expect(warning?.fields).toEqual({ destination: 'crm', url: 'http://10.0.0.7/' });
});

it('says which destinations are judged by their URLs alone, once', () => {
  const logged: object[] = [];
  const nothing = (): void => undefined;
  const info = (fields: object, message: string): void => void logged.push([fields, message]);
  const log = { debug: nothing, info, warn: nothing, error: nothing };
  const proxy = 'http://user:hunter2@10.0.0.1:3128';
  const of = (name: string, more: Partial<Destination>): Destination => ({
    ...{ name, integrationName: 'Webhooks', isEnabled: true, allowPrivateNetworks: false },
    endpoints: [{ url: 'http://intern.example/x', proxy }],
    ...more,
  });
  const others = [
    of('direct', { endpoints: [{ url: 'http://intern.example/x' }] }),
    of('local', { endpoints: [{ url: 'http://127.0.0.1/', proxy }] }),
    of('allowed', { allowPrivateNetworks: true }),
    of('off', { isEnabled: false }),
  ];
  expect(logProxies(others, log)).toBe(false);
  expect(logged).toEqual([]);
  expect(logProxies([...others, of('crm', {}), of('ads', {})], log)).toBe(true);
  expect(logged).toEqual([[{ destinations: 'crm ads' }, expect.stringMatching(/^behind a proxy/)]]);
});
