import { checkUrl } from '../http/url.js';

/**
 * The URL that batches are posted to: a URL without a path gets `/v1/batch`, one with a path is used
 * unchanged. Error messages begin with `where`: `endpoint`, `--endpoint`, …
 * @throws UsageError when it is not an absolute http or https URL without credentials.
 */
export function collectorUrl(endpoint: string, where = 'endpoint'): string {
  checkUrl(endpoint, where);
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/batch';
  return url.href;
}
