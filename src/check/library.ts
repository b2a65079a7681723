import { UsageError } from '../errors.js';
import { checkCheckOptions } from './check-options.js';
import type { CheckOptions, EndpointReport } from './options.js';

/**
 * Checks whether an endpoint is a good receiver of webhooks, as `evfwd check` does. It sends some 310
 * requests; every event has the userId `evfwd-check`. It does not ask before, whatever the address.
 *
 * @param url the endpoint, with its path
 * @throws UsageError for wrong options and unknown ids; an EvfwdError with the code `unreachable` when no
 *   connection can be opened
 * @example
 * import { check } from 'evfwd';
 *
 * const report = await check('http://localhost:3000/hook', { secret: 'topsecret' });
 * const failed = report.checks.filter(({ verdict }) => verdict === 'fail');
 * for (const { id, message } of failed) console.log(id, message);
 */
export async function check(url: string, options: CheckOptions = {}): Promise<EndpointReport> {
  checkCheckOptions(options);
  if (typeof url !== 'string') throw new UsageError('check: the URL must be a string');
  // Imported late: most programs check nothing.
  const { checkEndpoint } = await import('./check-endpoint.js');
  return checkEndpoint(url, options);
}
