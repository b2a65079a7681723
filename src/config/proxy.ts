import { proxyOfEnvironment } from '../http/proxy/environment.js';
import { checkProxyUrl } from '../http/proxy/proxy-url.js';
import { withTokenProxy } from '../webhook/auth.js';
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

/**
 * The endpoint with the proxy of this setting in place of its own. By the environment, its token endpoint, which is
 * another host, has its own.
 *
 * @throws UsageError as `proxyOf`
 */
export function withProxy<E extends Endpoint>(
  endpoint: E,
  setting: string | undefined,
  env: Environment,
): E {
  const { proxy: ownProxy, auth: ownAuth, ...rest } = endpoint;
  const proxy = proxyOf(endpoint.url, setting, env);
  const auth = ownAuth && withTokenProxy(ownAuth, (url) => tokenProxyOf(url, setting, env));
  if (proxy === ownProxy && auth === ownAuth) return endpoint;
  return { ...rest, ...(proxy !== undefined && { proxy }), ...(auth && { auth }) } as E;
}

/** As of `OAuth2Settings.proxy`. @throws UsageError as `proxyOf` */
export function tokenProxyOf(
  tokenUrl: string,
  setting: string | undefined,
  env: Environment,
): string | null | undefined {
  return setting === byEnvironment ? (proxyOf(tokenUrl, setting, env) ?? null) : undefined;
}
