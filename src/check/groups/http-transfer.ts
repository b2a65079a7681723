import { acceptance } from '../acceptance.js';
import { type Check, failed, passed, inconclusive, type CheckResult } from '../check.js';
import { described, isSuccess, type Exchange, type Transfer } from '../exchange.js';
import type { Prober } from '../prober.js';

/** Bodies that come in another way than at once and with their length. */
export const transferChecks: readonly Check[] = [
  arrives('http.chunked', 'chunked', {
    title: 'Accepts a body in chunks',
    sends: 'a valid event with Transfer-Encoding: chunked, without Content-Length',
    why: 'Senders and proxies that stream a body do not know its length in advance (RFC 9112: a recipient MUST be able to parse it).',
    fix: 'Read the body to its end, and do not rely on Content-Length; let the proxy in front of the endpoint buffer requests.',
  }),
  arrives('http.slow-body', 'slow', {
    title: 'Waits for a slow body',
    sends: 'a valid event whose second half comes 2 s after the first',
    why: 'On a slow network a body arrives in pieces. An endpoint that reads only the first piece verifies half a body.',
    fix: 'Wait for the end of the body before you verify it, and allow about 10 seconds for it.',
  }),
  earlyClose(),
  expectContinue(),
];

type Texts = Pick<Check, 'title' | 'sends' | 'why' | 'fix'>;

function arrives(id: string, transfer: Transfer, texts: Texts): Check {
  return {
    ...texts,
    id,
    level: 'should',
    stage: 'parallel',
    requests: 1,
    passes: '2xx, or 408',
    snippet: 'connection',
    evaluate: async (prober) => evaluateArrival(await sendAs(prober, transfer)),
  };
}

function sendAs(prober: Prober, transfer: Transfer): Promise<Exchange> {
  const event = prober.event();
  return prober.send(() => ({ ...prober.validRequest(event), transfer }));
}

function evaluateArrival(exchange: Exchange): CheckResult {
  if (exchange.response?.status === 408) return passed(described(exchange), exchange);
  return acceptance(exchange);
}

/** A server that breaks over the closed connection does so in this time. */
const settleMs = 300;

function earlyClose(): Check {
  return {
    id: 'http.early-close',
    level: 'should',
    stage: 'parallel',
    title: 'Survives a sender that hangs up',
    sends: 'half a body, then the connection is closed; then a valid event',
    requests: 2,
    passes: 'no 5xx, and 2xx to the event afterwards',
    why: 'Senders hang up at their deadline or when they restart. In some servers, an unhandled error then ends the whole process.',
    fix: 'Handle the error of an aborted request: log it, and continue.',
    snippet: 'errors',
    evaluate: async (prober) => {
      const cut = await prober.send({ ...prober.request(prober.event()), transfer: 'cut' });
      if ((cut.response?.status ?? 0) >= 500) {
        return failed(`half a body was answered ${described(cut)}`, cut);
      }
      await prober.session.sleep(settleMs);
      const event = prober.event();
      const after = () => ({ ...prober.validRequest(event), isRepeatable: false });
      return acceptance(await prober.send(after), 'the event after half a body');
    },
  };
}

function expectContinue(): Check {
  return {
    id: 'http.expect-100',
    level: 'info',
    stage: 'parallel',
    title: 'Accepts Expect: 100-continue',
    sends:
      'a valid event with Expect: 100-continue; the body follows the 100 response, or after 1 s',
    requests: 1,
    passes: '100 and then 2xx, or 2xx alone',
    why: 'Clients based on libcurl send it with long bodies, and wait a second if the server does not respond to it (RFC 9110, 10.1.1).',
    fix: 'Let the server send 100 Continue, as nearly all do by default, and do not reject the header in a proxy.',
    snippet: 'connection',
    evaluate: async (prober) => evaluateContinue(await sendAs(prober, 'continue')),
  };
}

function evaluateContinue(exchange: Exchange): CheckResult {
  const { response } = exchange;
  if (response?.status === 429) return inconclusive('HTTP 429, too many requests', exchange);
  if (!response || !isSuccess(exchange)) {
    return failed(`Expect: 100-continue: ${described(exchange)}`, exchange);
  }
  return response.interim.includes(100)
    ? passed(`HTTP 100, then ${described(exchange)}`, exchange)
    : passed(`${described(exchange)}, without HTTP 100 before`, exchange);
}
