import { withoutServerError } from '../acceptance.js';
import { headerOf } from '../headers.js';
import type { Check } from '../check.js';
import { described, isSuccess, type Exchange } from '../exchange.js';
import { failed, passed, type Judgement } from '../judgement.js';
import { allowedOriginFault, allowedRateFault, originHeaders } from './web-hook-headers.js';

/** Other methods than POST: people and crawlers open the URL as well. */
export const methodChecks: readonly Check[] = [answers('GET'), answers('HEAD'), options()];

function answers(method: 'GET' | 'HEAD'): Check {
  return {
    id: `http.${method.toLowerCase()}`,
    level: 'should',
    stage: 'beside',
    title: `Answers ${method} without an error of its own`,
    sends: `${method}, without a body or a signature`,
    requests: 1,
    passes: '405 or another 4xx, 2xx, 3xx; not 5xx, and not silence',
    why: 'Monitors, crawlers and people open the URL. An error 500 for each fills the logs, and a hanging request keeps a worker busy.',
    fix: 'Route POST alone to your code; most frameworks then answer 405 to the rest.',
    recipe: 'methods',
    judge: async (prober) =>
      withoutServerError(await prober.send(prober.bareRequest(method)), method),
  };
}

function options(): Check {
  return {
    id: 'http.options',
    level: 'info',
    stage: 'beside',
    title: 'Answers the question for permission in the right form',
    sends: 'OPTIONS with WebHook-Request-Origin and WebHook-Request-Rate',
    requests: 1,
    passes: 'no answer to it, or WebHook-Allowed-Origin and WebHook-Allowed-Rate in the right form',
    why: 'Senders of CloudEvents ask before their first event (HTTP webhooks 4), and send nothing if the answer is wrong.',
    fix: 'Answer with the origin of the request or * in WebHook-Allowed-Origin, and with a number or * in WebHook-Allowed-Rate.',
    recipe: 'handshake-cloudevents',
    judge: async (prober) =>
      judgeOptions(await prober.send(prober.bareRequest('OPTIONS', originHeaders))),
  };
}

function judgeOptions(exchange: Exchange): Judgement {
  const { response } = exchange;
  if (!response) return failed(`OPTIONS: ${described(exchange)}`, exchange);
  if (response.status >= 500)
    return failed(`OPTIONS was answered HTTP ${response.status}`, exchange);
  const origin = headerOf(response, 'webhook-allowed-origin');
  const rate = headerOf(response, 'webhook-allowed-rate');
  if (origin === undefined && rate === undefined) {
    return passed(
      `${described(exchange)}, without WebHook-Allowed-Origin: it does not take part`,
      exchange,
    );
  }
  const fault = allowedOriginFault(origin) ?? allowedRateFault(rate);
  if (fault !== undefined) return failed(fault, exchange);
  return isSuccess(exchange)
    ? passed('WebHook-Allowed-Origin and WebHook-Allowed-Rate are well-formed', exchange)
    : failed(`permission was given, but with ${described(exchange)}`, exchange);
}
