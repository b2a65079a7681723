import { isIP } from 'node:net';
import { proxyInUse } from '../http/open-connector.js';
import { hostOf, withoutQuery } from '../http/url.js';
import { privateAddressCode, privateNetworkGuard } from '../net/private-networks.js';
import { resolveAll, type ResolveAll } from '../net/resolver.js';
import type { Endpoint } from '../webhook/endpoint.js';
import { shownAlertUrl } from './alerts/settings.js';
import type { Log } from './log.js';
import type { Destination } from './types.js';

/**
 * Logs a warning for each enabled destination with a URL, or one for its alerts, at a loopback or private address
 * that it may not use, since all its deliveries would fail. Host names are looked up; one that is not found is left
 * to the first delivery, because it may be found by then.
 */
export async function warnOfPrivateAddresses(
  destinations: readonly Destination[],
  log: Log,
  resolve: ResolveAll = resolveAll,
): Promise<void> {
  const guarded = destinations.filter((one) => one.isEnabled && !one.allowPrivateNetworks);
  await Promise.all(guarded.map((destination) => warnOf(destination, log, resolve)));
}

async function warnOf(
  { name, endpoints, alerts }: Destination,
  log: Log,
  resolve: ResolveAll,
): Promise<void> {
  const next = `set destinations.${name}.allowPrivateNetworks to true if this is intended`;
  const warn = async (
    urls: readonly string[],
    what: string,
    shownUrl: (url: string) => string = withoutQuery,
  ): Promise<void> => {
    const refused = await Promise.all(urls.map((url) => isRefused(url, resolve)));
    const shown = urls.filter((_, i) => refused[i]).map((url) => shownUrl(url));
    if (shown.length > 0) log.warn({ destination: name, url: shown.join(' ') }, `${what}; ${next}`);
  };
  // Behind a proxy only what stands in the URL counts, and a name need not be known here.
  const urls = endpoints.filter((one) => !isProxied(one)).map(({ url }) => url);
  await warn(urls, 'destination is at a private address, so nothing is sent to it');
  if (!alerts) return;
  await warn([alerts.url], 'alerts go to a private address, so none is sent', shownAlertUrl);
}

/**
 * Logs which enabled destinations are behind a proxy, if they may not use private addresses: the proxy looks names up,
 * and may find such an address. Returns whether there are any.
 */
export function logProxies(destinations: readonly Destination[], log: Log): boolean {
  const names = destinations
    .filter((one) => one.isEnabled && !one.allowPrivateNetworks && one.endpoints.some(isProxied))
    .map(({ name }) => name);
  if (names.length === 0) return false;
  log.info(
    { destinations: names.join(' ') },
    'behind a proxy, private addresses are refused only if they stand in the URL: names are looked up by the proxy',
  );
  return true;
}

function isProxied({ url, proxy }: Endpoint): boolean {
  return proxyInUse(new URL(url), proxy) !== undefined;
}

function isRefused(url: string, resolve: ResolveAll): Promise<boolean> {
  const host = hostOf(new URL(url));
  const guard = privateNetworkGuard(resolve);
  if (isIP(host) !== 0) return Promise.resolve(guard.refusal(host) !== undefined);
  return new Promise((done) => {
    guard.lookup(host, { all: true }, (error) => done(error?.code === privateAddressCode));
  });
}
