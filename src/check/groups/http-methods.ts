import { withoutServerError } from '../acceptance.js';
import { headerOf, described, isSuccess, type Exchange } from '../exchange.js';
import { type Check, failed, passed, type CheckResult } from '../check.js';
import { allowedOriginFault, allowedRateFault, originHeaders } from './web-hook-headers.js';

/** Other methods than POST: people and crawlers open the URL as well. */
export const methodChecks: readonly Check[] = [answers('GET'), answers('HEAD'), options()];

function answers(method: 'GET' | 'HEAD'): Check {
  return {
    id: `http.${method.toLowerCase()}`,
    level: 'should',
    stage: 'parallel',
    title: `Responds to ${method} without a server error`,
    sends: `${method}, without a body or a signature`,
    requests: 1,
    passes: '2xx, 3xx or 4xx (405 is best); not 5xx, and not a timeout',
    why: 'Monitors, crawlers and people open the URL. A 500 for each fills the logs, and a hanging request keeps a worker busy.',
    fix: 'Route only POST to your code; most frameworks then return 405 for other methods.',
    snippet: 'methods',
    cause: 'methods',
    evaluate: async (prober) =>
      withoutServerError(await prober.send(prober.bareRequest(method)), method),
  };
}

function options(): Check {
  return {
    id: 'http.options',
    level: 'info',
    stage: 'parallel',
    title: 'Responds correctly to a CloudEvents validation request',
    sends: 'OPTIONS with WebHook-Request-Origin and WebHook-Request-Rate',
    requests: 1,
    passes: 'no WebHook-Allowed-* header in the response, or valid ones',
    why: 'CloudEvents senders ask for permission before their first event (HTTP webhooks 4), and send nothing if the response is wrong.',
    fix: 'Return WebHook-Allowed-Origin with the origin of the request or *, and WebHook-Allowed-Rate with a number or *.',
    snippet: 'handshake-cloudevents',
    evaluate: async (prober) =>
      evaluateOptions(await prober.send(prober.bareRequest('OPTIONS', originHeaders))),
  };
}

function evaluateOptions(exchange: Exchange): CheckResult {
  const { response } = exchange;
  if (!response) return failed(`OPTIONS: ${described(exchange)}`, exchange);
  if (response.status >= 500)
    return failed(`OPTIONS was answered HTTP ${response.status}`, exchange);
  const origin = headerOf(response, 'webhook-allowed-origin');
  const rate = headerOf(response, 'webhook-allowed-rate');
  if (origin === undefined && rate === undefined) {
    return passed(
      `${described(exchange)}, without WebHook-Allowed-Origin: CloudEvents validation is not supported`,
      exchange,
    );
  }
  const fault = allowedOriginFault(origin) ?? allowedRateFault(rate);
  if (fault !== undefined) return failed(fault, exchange);
  return isSuccess(exchange)
    ? passed('WebHook-Allowed-Origin and WebHook-Allowed-Rate are well-formed', exchange)
    : failed(`permission was given, but with ${described(exchange)}`, exchange);
}
