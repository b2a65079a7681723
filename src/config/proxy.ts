import { proxyOfEnvironment } from '../http/proxy/environment.js';
import { checkProxyUrl } from '../http/proxy/proxy-url.js';
import type { Endpoint } from '../webhook/endpoint.js';
import type { Environment } from './environment.js';
import { byEnvironment } from './proxy-setting.js';

/**
 * The proxy of a URL by a setting that was checked; undefined if it is reached without one.
 *
 * @throws UsageError when a variable of the environment is no URL of a proxy
 */
export function proxyOf(
  url: string,
  setting: string | undefined,
  env: Environment,
): string | undefined {
  if (setting !== byEnvironment) return setting;
  // An invalid URL is reported by its own check.
  const found = URL.canParse(url) ? proxyOfEnvironment(new URL(url), env) : undefined;
  if (found) checkProxyUrl(found.url, found.variable);
  return found?.url;
}

/** The endpoint with the proxy of this setting in place of its own. @throws UsageError as `proxyOf` */
export function withProxy<E extends Endpoint>(
  endpoint: E,
  setting: string | undefined,
  env: Environment,
): E {
  const { proxy: own, ...rest } = endpoint;
  const proxy = proxyOf(endpoint.url, setting, env);
  if (proxy === own) return endpoint;
  return { ...rest, ...(proxy !== undefined && { proxy }) } as E;
}
