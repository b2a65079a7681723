import fc from 'fast-check';
import { EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { proxyOfEnvironment } from '../../../src/http/proxy/environment.js';
import { runs } from '../../helpers/property-runs.js';

const proxy = 'http://proxy.test:3128';

/** Whether undici reaches a URL without its proxy. */
function isDirect(url: string, noProxy: string): boolean {
  const agent = new EnvHttpProxyAgent({ httpProxy: proxy, httpsProxy: proxy, noProxy });
  let used: string | undefined;
  // What it chooses is seen only at the agents behind it.
  for (const symbol of Object.getOwnPropertySymbols(agent)) {
    const { description = '' } = symbol;
    if (!description.endsWith('proxy agent')) continue;
    const chosen = (agent as unknown as Record<symbol, Pick<Dispatcher, 'dispatch'>>)[symbol]!;
    chosen.dispatch = () => {
      used = description;
      return true;
    };
  }
  agent.dispatch({ origin: new URL(url).origin, path: '/', method: 'GET' }, handler);
  expect(used).toBeDefined();
  return used === 'no proxy agent';
}

const nothing = (): void => undefined;
const handler: Dispatcher.DispatchHandler = {
  onRequestStart: nothing,
  onResponseStart: nothing,
  onResponseData: nothing,
  onResponseEnd: nothing,
  onResponseError: nothing,
};

const label = fc.constantFrom('a', 'b', 'example', 'EXAMPLE', 'com', 'test');
const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
const port = fc.constantFrom('', ':80', ':443', ':8080');
const url = fc
  .tuple(fc.constantFrom('http', 'https'), host, port)
  .map(([scheme, name, at]) => `${scheme}://${name}${at}/`);
const entry = fc
  .tuple(fc.constantFrom('', '.', '*.'), host, port)
  .map(([prefix, name, at]) => `${prefix}${name}${at}`);
const list = fc
  .array(fc.tuple(entry, fc.constantFrom(',', ' ', ', ', ',,')), { maxLength: 3 })
  .map((entries) => entries.flat().join(''));

it('NO_PROXY names the hosts that it names for undici', () => {
  fc.assert(
    fc.property(url, fc.oneof(list, fc.constant('*')), (target, noProxy) => {
      const env = { http_proxy: proxy, https_proxy: proxy, no_proxy: noProxy };
      const found = proxyOfEnvironment(new URL(target), env);
      expect(found === undefined).toBe(isDirect(target, noProxy));
    }),
    { numRuns: runs(3_000) },
  );
});
