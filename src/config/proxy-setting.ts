import { checkProxyUrl } from '../http/proxy/proxy-url.js';

/** What `--proxy` and `proxy:` have in place of a URL, so that the variables of the environment count. */
export const byEnvironment = 'env';

/** @throws UsageError, without the value, unless a setting is `env` or the URL of a proxy */
export function checkProxy(setting: string, where: string): void {
  if (setting !== byEnvironment) checkProxyUrl(setting, where);
}
