import { gzipSync } from 'node:zlib';
import { acceptance, withoutServerError } from '../acceptance.js';
import { headerOf, described, isSuccess, type Exchange } from '../exchange.js';
import { type Check, failed, notApplicable, passed, type CheckResult } from '../check.js';
import type { Prober } from '../prober.js';
import type { Session } from '../session.js';
import { connectionChecks } from './http-connections.js';
import { transferChecks } from './http-transfer.js';

/** What an endpoint makes of HTTP itself. */
export const httpChecks: readonly Check[] = [
  responds('GET'),
  responds('HEAD'),
  options(),
  ...connectionChecks,
  ...transferChecks,
  gzip(),
  query(),
];

function gzip(): Check {
  return {
    id: 'http.gzip',
    level: 'info',
    stage: 'observe',
    title: 'Accepts gzip if it announces gzip',
    sends:
      'if a response had Accept-Encoding: gzip, an event compressed with gzip, with the signature of the compressed bytes',
    requests: 1,
    passes: '2xx or 415',
    why: 'A sender may compress events for an endpoint that announces gzip (RFC 9110, 12.5.3); 415 tells it to stop.',
    fix: 'Verify the signature over the bytes as received, then decompress; or remove gzip from Accept-Encoding.',
    evaluate: async (prober) => {
      if (!announcesGzip(prober.session)) {
        return notApplicable('no response had Accept-Encoding: gzip, so nothing was sent');
      }
      return evaluateGzip(await sendGzip(prober));
    },
  };
}

function announcesGzip({ exchanges }: Session): boolean {
  return exchanges.some(
    ({ response }) =>
      response &&
      /\b(x-)?gzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(
        headerOf(response, 'accept-encoding') ?? '',
      ),
  );
}

function sendGzip(prober: Prober): Promise<Exchange> {
  const event = prober.event();
  const compressed = { ...event, body: gzipSync(event.body) };
  return prober.send(() => {
    const request = prober.request(compressed);
    return { ...request, headers: [...request.headers, ['Content-Encoding', 'gzip']] };
  });
}

function evaluateGzip(exchange: Exchange): CheckResult {
  const isRight = isSuccess(exchange) || exchange.response?.status === 415;
  return isRight
    ? passed(described(exchange), exchange)
    : failed(`gzip: ${described(exchange)}, expected 2xx or 415`, exchange);
}

function query(): Check {
  return {
    id: 'http.query',
    level: 'should',
    stage: 'parallel',
    title: 'Accepts a URL with a query',
    sends: 'a valid event to the URL with a=b%20c added to its query',
    requests: 1,
    passes: '2xx',
    why: 'Many endpoints are registered with a query (?source=crm), and proxies add parameters of their own.',
    fix: 'Route by the path only, and ignore unknown parameters.',
    evaluate: async (prober) => {
      const url = withParameter(prober.settings.url, 'a=b%20c');
      return acceptance(await prober.sendEvent(prober.event(), { url }));
    },
  };
}

function withParameter(url: URL, parameter: string): string {
  const changed = new URL(url);
  changed.search = url.search === '' ? parameter : `${url.search}&${parameter}`;
  return changed.href;
}

/** People and crawlers open the URL as well. */
function responds(method: 'GET' | 'HEAD'): Check {
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

/** What asks for permission to send, by CloudEvents HTTP webhooks, section 4. */
export const originHeaders: readonly (readonly [string, string])[] = [
  ['WebHook-Request-Origin', 'evfwd.example'],
  ['WebHook-Request-Rate', '120'],
];

/** What is wrong with the answer; undefined if it permits this origin. */
export function allowedOriginFault(value: string | undefined): string | undefined {
  if (value === undefined) return 'WebHook-Allowed-Origin is missing';
  const isRight = value === '*' || value.toLowerCase() === originHeaders[0]![1];
  return isRight
    ? undefined
    : 'WebHook-Allowed-Origin is neither the origin that was asked for (evfwd.example) nor *';
}

/** What is wrong with the rate, in requests per minute. It must be there, since one was asked for. */
function allowedRateFault(value: string | undefined): string | undefined {
  if (value === undefined) return 'WebHook-Allowed-Rate is missing, though a rate was asked for';
  const isRight = value === '*' || /^[1-9]\d*$/.test(value);
  return isRight ? undefined : 'WebHook-Allowed-Rate is neither a whole number above 0 nor *';
}
