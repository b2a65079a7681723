import { UsageError } from '../errors.js';
import { checkOptionNames } from '../option-names.js';
import type { CheckOptions, EndpointReport } from './options.js';

/**
 * Checks whether an endpoint is a good receiver of webhooks, as `evfwd check` does. It sends some 280
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
  checkOptionNames(options, known);
  if (typeof url !== 'string') throw new UsageError('check: the URL must be a string');
  // Imported late: most programs check nothing.
  const { checkEndpoint } = await import('./check-endpoint.js');
  return checkEndpoint(url, options);
}

const known: Readonly<Record<keyof CheckOptions, true>> = {
  secret: true,
  scheme: true,
  headers: true,
  only: true,
  skip: true,
  deadlineMs: true,
  rate: true,
  probe: true,
  handshake: true,
  handshakeToken: true,
  strict: true,
  ca: true,
  signal: true,
};
