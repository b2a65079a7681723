import { Agent } from 'node:http';
import { type Check, failed, passed, type CheckResult } from '../check.js';
import { described, isSuccess, type Exchange, type ProbeRequest } from '../exchange.js';
import type { Prober } from '../prober.js';

/** Firewalls often say nothing at all on port 80. */
const limitMs = 5_000;

/** Whether events that come without TLS are accepted as well. */
export function tlsRequired(): Check {
  return {
    id: 'tls.required',
    level: 'should',
    stage: 'parallel',
    title: 'Accepts events over TLS only',
    sends:
      'a valid event over plain HTTP to the same host: to the port of the URL, else to port 80',
    requests: 1,
    passes: 'anything but 2xx: a redirect, an error, or no response',
    why: 'Events sent over plain HTTP can be read and changed in transit (CloudEvents HTTP webhooks 2.1: HTTPS is required).',
    fix: 'Let port 80 redirect to HTTPS or refuse, and never pass its requests to your code.',
    snippet: 'https-only',
    skipIf: ({ url }) => (url.protocol === 'http:' ? 'the URL is http' : undefined),
    evaluate: async (prober) => {
      const agent = new Agent({ keepAlive: false });
      try {
        const request = plainRequest(prober);
        return evaluatePlain(
          await prober.send(request, { agent, timeoutMs: limitMs }),
          request.url,
        );
      } finally {
        agent.destroy();
      }
    },
  };
}

/** Without the static headers: anyone on the way could read the credentials in them. */
function plainRequest(prober: Prober): ProbeRequest {
  const { url, headers } = prober.settings;
  const plain = `http:${url.href.slice(url.protocol.length)}`;
  const request = prober.request(prober.event(), { url: plain });
  const secret = new Set(headers.map(([name]) => name.toLowerCase()));
  return {
    ...request,
    headers: request.headers.filter(([name]) => !secret.has(name.toLowerCase())),
  };
}

function evaluatePlain(exchange: Exchange, url: string): CheckResult {
  const where = `plain HTTP on port ${new URL(url).port || '80'}`;
  if (isSuccess(exchange)) {
    return failed(`an event over ${where} was accepted: ${described(exchange)}`, exchange);
  }
  return passed(`${where}: ${described(exchange)}`, exchange);
}
