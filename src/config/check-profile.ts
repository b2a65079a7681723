import { checkUrl } from '../http/url.js';
import { checkHeaders, headerPairs } from '../webhook/settings.js';
import type { Where } from './environment.js';
import { checkProxy } from './proxy-setting.js';
import type { ProfileSection } from './schema.js';

/**
 * Checks the URLs, headers and proxies of a profile whose `${NAME}` references are expanded.
 *
 * @param path The key path of the profile.
 * @throws UsageError with file, line and key path; values are never shown.
 */
export function checkProfile(
  { webhooks, collector }: ProfileSection,
  path: readonly PropertyKey[],
  where: Where,
): void {
  const { proxy } = webhooks ?? {};
  if (proxy !== undefined) checkProxy(proxy, where([...path, 'webhooks', 'proxy']));
  webhooks?.endpoints.forEach(({ url, headers, proxy }, index) => {
    const endpoint = [...path, 'webhooks', 'endpoints', index];
    checkUrl(url, where([...endpoint, 'url']));
    if (proxy !== undefined) checkProxy(proxy, where([...endpoint, 'proxy']));
    for (const header of headerPairs(headers)) {
      checkHeaders([header], where([...endpoint, 'headers', header[0]]));
    }
  });
  if (collector) checkUrl(collector.endpoint, where([...path, 'collector', 'endpoint']));
}
