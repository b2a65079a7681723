import { UsageError } from '../errors.js';
import { checkUrl } from '../http/url.js';
import { perSecond, rateHint } from '../rate.js';
import { checkAuth } from '../webhook/auth.js';
import type { EndpointAuth } from '../webhook/endpoint.js';
import { checkEndpointSettings, type SettingPlace } from '../webhook/check-endpoint.js';
import type { Endpoint, EndpointSettings } from '../webhook/endpoint.js';
import { checkHeaders, headerPairs } from '../webhook/settings.js';
import { durationHint, durationMs } from './duration.js';
import type { Environment, Where } from './environment.js';
import { withProxy } from './proxy.js';
import { checkProxy } from './proxy-setting.js';
import type { EndpointSection, EndpointKeys } from './schema.js';

/** A target in the file: its endpoints, and what holds for those that have no setting of their own. */
export interface EndpointsSection extends EndpointKeys {
  readonly endpoints: readonly EndpointSection[];
  /** Of the endpoints that have no other. */
  readonly proxy?: string | undefined;
  /** Of the endpoints that have no other. */
  readonly auth?: EndpointSection['auth'];
}

/**
 * The endpoints of a target in the file, each with its own settings, else with those of the target.
 *
 * @param target whose values are expanded
 * @param path the key path of the target
 * @throws UsageError with file, line and key path, or the variable of a proxy; values of headers and proxies are never shown
 */
export function endpointsOf(
  target: EndpointsSection,
  path: readonly PropertyKey[],
  where: Where,
  env: Environment,
): Endpoint[] {
  if (target.proxy !== undefined) checkProxy(target.proxy, where([...path, 'proxy']));
  return target.endpoints.map((own, index) => {
    const place = [...path, 'endpoints', index];
    checkUrl(own.url, where([...place, 'url']));
    if (own.proxy !== undefined) checkProxy(own.proxy, where([...place, 'proxy']));
    for (const header of headerPairs(own.headers)) {
      checkHeaders([header], where([...place, 'headers', header[0]]));
    }
    const at: SettingPlace = (setting, item) => {
      const key = keyOf[setting];
      const holder = own[key] === undefined && target[key] !== undefined ? path : place;
      return where([...holder, key, ...(item === undefined ? [] : [item])]);
    };
    const settings = settingsOf({ ...keysOf(target), ...keysOf(own) }, at);
    checkEndpointSettings(settings, at);
    const { url, headers, auth = target.auth } = own;
    const endpoint: Endpoint = {
      url,
      ...(headers && { headers }),
      ...(auth && { auth: auth as EndpointAuth }),
      ...settings,
    };
    const names = headerPairs(headers).map(([name]) => name);
    checkAuth(endpoint.auth, names, where([...(own.auth ? place : path), 'auth']));
    return withProxy(endpoint, own.proxy ?? target.proxy, env);
  });
}

/** The key of the file for each setting. */
const keyOf: Readonly<Record<keyof EndpointSettings, keyof EndpointKeys>> = {
  types: 'types',
  events: 'events',
  where: 'where',
  retryStatus: 'retryStatus',
  timeoutMs: 'timeout',
  concurrency: 'concurrency',
  rate: 'rate',
};

function keysOf(section: EndpointKeys): EndpointKeys {
  const keys = Object.values(keyOf).filter((key) => section[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, section[key]]));
}

function settingsOf({ timeout, rate, ...rest }: EndpointKeys, at: SettingPlace): EndpointSettings {
  return {
    ...(rest as EndpointSettings),
    ...(timeout !== undefined && { timeoutMs: milliseconds(timeout, at) }),
    ...(rate !== undefined && { rate: rateOf(rate, at) }),
  };
}

/** Values of the environment are known only now. */
function milliseconds(text: string, at: SettingPlace): number {
  const value = durationMs(text);
  if (value !== undefined && value > 0) return value;
  throw new UsageError(`${at('timeoutMs')} must be a duration above 0; ${durationHint}`);
}

function rateOf(value: string | number, at: SettingPlace): number {
  const rate = perSecond(String(value));
  if (rate !== undefined) return rate;
  throw new UsageError(`${at('rate')} is not a valid rate; ${rateHint}`);
}
