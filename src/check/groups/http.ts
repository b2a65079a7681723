import { gzipSync } from 'node:zlib';
import { acceptance } from '../acceptance.js';
import { headerOf, described, isSuccess, type Exchange } from '../exchange.js';
import { type Check, failed, notApplicable, passed, type CheckResult } from '../check.js';
import type { Prober } from '../prober.js';
import type { Session } from '../session.js';
import { connectionChecks } from './http-connections.js';
import { methodChecks } from './http-methods.js';
import { transferChecks } from './http-transfer.js';

/** What an endpoint makes of HTTP itself. */
export const httpChecks: readonly Check[] = [
  ...methodChecks,
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
