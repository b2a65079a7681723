import { described, isSuccess, type Exchange } from './exchange.js';
import { failed, passed, inconclusive, warned, type CheckResult } from './check.js';

/** Whether a request that has to be accepted was. What a rate limit refused says nothing. */
export function acceptance(exchange: Exchange, what = 'the event'): CheckResult {
  const { response } = exchange;
  if (isSuccess(exchange)) return passed(described(exchange), exchange);
  if (response?.status === 429)
    return inconclusive(`${what} was answered HTTP 429, too many requests`, exchange);
  return failed(`${what} was not accepted: ${described(exchange)}`, exchange);
}

/** The worst of several. */
export function allAccepted(exchanges: readonly Exchange[], what?: string): CheckResult {
  const judged = exchanges.map((exchange) => acceptance(exchange, what));
  const worst =
    judged.find(({ outcome }) => outcome === 'failed') ??
    judged.find(({ outcome }) => outcome !== 'passed');
  return worst ?? passed(summary(exchanges), exchanges[0]);
}

function summary(exchanges: readonly Exchange[]): string {
  const [first] = exchanges;
  if (exchanges.length === 1 && first) return described(first);
  return `all ${exchanges.length} accepted`;
}

/** The statuses with which a receiver says that it does not believe a request. */
export const refusals: readonly number[] = [400, 401, 403];

export function isRefusal({ response }: Exchange): boolean {
  return response !== undefined && refusals.includes(response.status);
}

/**
 * Whether a forged request was refused. A server error is no acceptance, but 401 is right.
 * @param others statuses with which this request may be refused, too
 */
export function refusal(
  exchange: Exchange,
  what: string,
  others: readonly number[] = [],
): CheckResult {
  const { response } = exchange;
  if (!response) return inconclusive(`${what}: ${described(exchange)}`, exchange);
  const { status } = response;
  if (refusals.includes(status) || others.includes(status))
    return passed(described(exchange), exchange);
  if (isSuccess(exchange)) return failed(`${what} was accepted: ${described(exchange)}`, exchange);
  if (status >= 500)
    return warned(`${what} was answered ${described(exchange)}; 401 is right`, exchange);
  return inconclusive(
    `${what} was answered ${described(exchange)}, which says nothing about its signature`,
    exchange,
  );
}

/** The worst of several: one forged request that is accepted is enough. */
export function allRefused(
  exchanges: readonly Exchange[],
  what: string,
  others?: readonly number[],
): CheckResult {
  const judged = exchanges.map((exchange) => refusal(exchange, what, others));
  const order: readonly CheckResult['outcome'][] = ['failed', 'inconclusive', 'warned', 'passed'];
  const [worst] = judged.toSorted(
    (one, other) => order.indexOf(one.outcome) - order.indexOf(other.outcome),
  );
  return worst ?? inconclusive(`${what} was not sent`);
}

/** Whether a receiver stays calm: whatever it thinks of the request, it has not broken over it. */
export function withoutServerError(exchange: Exchange, what: string): CheckResult {
  const { response } = exchange;
  if (!response) return failed(`${what}: ${described(exchange)}`, exchange);
  if (response.status >= 500)
    return failed(`${what} was answered ${described(exchange)}`, exchange);
  return passed(described(exchange), exchange);
}
