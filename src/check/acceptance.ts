import { described, isSuccess, type Exchange } from './exchange.js';
import { failed, passed, unjudged, warned, type Judgement } from './check.js';

/** Whether a request that has to be accepted was. What a rate limit refused says nothing. */
export function acceptance(exchange: Exchange, what = 'the event'): Judgement {
  const { response } = exchange;
  if (isSuccess(exchange)) return passed(described(exchange), exchange);
  if (response?.status === 429)
    return unjudged(`${what} was answered HTTP 429, too many requests`, exchange);
  return failed(`${what} was not accepted: ${described(exchange)}`, exchange);
}

/** The worst of several. */
export function allAccepted(exchanges: readonly Exchange[], what?: string): Judgement {
  const judged = exchanges.map((exchange) => acceptance(exchange, what));
  const worst =
    judged.find(({ found }) => found === 'failed') ??
    judged.find(({ found }) => found !== 'passed');
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
): Judgement {
  const { response } = exchange;
  if (!response) return unjudged(`${what}: ${described(exchange)}`, exchange);
  const { status } = response;
  if (refusals.includes(status) || others.includes(status))
    return passed(described(exchange), exchange);
  if (isSuccess(exchange)) return failed(`${what} was accepted: ${described(exchange)}`, exchange);
  if (status >= 500)
    return warned(`${what} was answered ${described(exchange)}; 401 is right`, exchange);
  return unjudged(
    `${what} was answered ${described(exchange)}, which says nothing about its signature`,
    exchange,
  );
}

/** The worst of several: one forged request that is accepted is enough. */
export function allRefused(
  exchanges: readonly Exchange[],
  what: string,
  others?: readonly number[],
): Judgement {
  const judged = exchanges.map((exchange) => refusal(exchange, what, others));
  const order: readonly Judgement['found'][] = ['failed', 'unjudged', 'warned', 'passed'];
  const [worst] = judged.toSorted(
    (one, other) => order.indexOf(one.found) - order.indexOf(other.found),
  );
  return worst ?? unjudged(`${what} was not sent`);
}

/** Whether a receiver stays calm: whatever it thinks of the request, it has not broken over it. */
export function withoutServerError(exchange: Exchange, what: string): Judgement {
  const { response } = exchange;
  if (!response) return failed(`${what}: ${described(exchange)}`, exchange);
  if (response.status >= 500)
    return failed(`${what} was answered ${described(exchange)}`, exchange);
  return passed(described(exchange), exchange);
}
