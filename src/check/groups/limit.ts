import { isRetryAfter } from '../../http/retry-after.js';
import { headerOf, type Exchange } from '../exchange.js';
import { type Check, failed, notApplicable, passed, type CheckResult } from '../check.js';
import type { Session } from '../session.js';
import { rateText } from '../statistics.js';

/** What the endpoint says when it has had too much. */
export const limitChecks: readonly Check[] = [
  {
    id: 'limit.429',
    level: 'should',
    stage: 'observe',
    title: 'Sends Retry-After when it limits the rate',
    sends: 'no request; reads responses with HTTP 429, if there are any',
    requests: 0,
    passes: 'each 429 has a Retry-After with seconds or an HTTP date',
    why: 'Without it a sender guesses, and retries too early or much too late (CloudEvents HTTP webhooks 2.2: 429 MUST have Retry-After).',
    fix: 'Add Retry-After, with the seconds to wait, to each 429. Most rate limiters have an option for it.',
    snippet: 'limit',
    evaluate: ({ session }) => Promise.resolve(evaluateLimited(session)),
  },
];

function is429({ response }: Exchange): boolean {
  return response?.status === 429;
}

function evaluateLimited({ exchanges, pace }: Session): CheckResult {
  const limited = exchanges.filter(is429);
  if (limited.length === 0) return notApplicable('no response was HTTP 429');
  const wrong = limited.find(({ response }) => !isRetryAfter(headerOf(response!, 'retry-after')));
  const slowed = pace.isSlowed ? `; slowed down to ${rateText(pace.rate)}` : '';
  if (!wrong) return passed(`HTTP 429 with Retry-After (${limited.length})${slowed}`, limited[0]);
  const value = headerOf(wrong.response!, 'retry-after');
  const fault =
    value === undefined
      ? 'HTTP 429 without Retry-After'
      : 'HTTP 429 with a Retry-After that is neither seconds nor an HTTP date';
  return failed(fault + slowed, wrong);
}
