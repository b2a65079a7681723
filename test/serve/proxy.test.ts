import { expect, it } from 'vitest';
import { behindProxy, startProxy } from '../helpers/proxy.js';
import { startRawServer } from '../helpers/raw-server.js';
import { serving, simple, track, until } from './serving.js';

it('a destination is reached through its proxy, and after a reload through another one', async () => {
  const server = await startRawServer();
  const url = behindProxy(server.url);
  const [first, second] = [await startProxy(), await startProxy()];
  // A private address behind the proxy is the business of the proxy.
  const through = (proxy: string) =>
    simple(url, { allowPrivateNetworks: false, endpoints: [{ url, proxy }] });
  const served = await serving(through(first.url.replace('//', '//user:hunter2@')));
  await served.service.warnOfPrivateAddresses();
  await served.send([track(1)]);
  await server.arrived(1);
  await served.reroute(through(second.url));
  await served.send([track(2)]);
  await server.arrived(2);
  expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  const said = served.logged.filter((line) => line.includes('behind a proxy'));
  expect(said).toEqual([expect.stringMatching(/^info behind a proxy, .*"destinations":"crm"/)]);
  expect(served.logged.join('\n')).not.toContain('hunter2');
});

it('a proxy that fails is a reason of its own, and the event is retried', async () => {
  const refusing = await startProxy({ response: () => 'HTTP/1.1 502 Bad\r\n\r\n' });
  const url = 'http://hook.example.test/';
  const served = await serving(
    simple(url, { allowPrivateNetworks: false, endpoints: [{ url, proxy: refusing.url }] }),
  );
  await served.send([track(1)]);
  const found = await until(
    () => served.api('deliveries') as Promise<{ rows: object[] }>,
    ({ rows }) => rows.length > 0,
  );
  const endpoint = { status: null, error: 'proxy_status' };
  expect(found.rows[0]).toMatchObject({ state: 'retrying', endpoints: [endpoint] });
});
