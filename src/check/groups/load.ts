import { type Check, failed, notApplicable, passed, type CheckResult } from '../check.js';
import { described, isSuccess, type Exchange } from '../exchange.js';
import type { Prober } from '../prober.js';
import { msText, percentile } from '../statistics.js';

const bursts = 10;
const eventsPerBurst = 20;

/** Many events at once. */
export const loadChecks: readonly Check[] = [
  {
    id: 'load.parallel',
    level: 'should',
    stage: 'load',
    title: 'Accepts 20 events at once',
    sends: `${bursts} bursts of ${eventsPerBurst} valid events at once; it stops at the first burst that fails`,
    requests: bursts * eventsPerBurst,
    passes: 'all 2xx, and 95% within the deadline',
    why: 'Senders have many connections, and events come in bursts: after an import, a campaign, or an outage.',
    fix: 'Queue the work, and give the server enough workers, database connections and listen backlog.',
    skipIf: ({ rate }) =>
      rate < eventsPerBurst ? `needs --rate ${eventsPerBurst}/s or more` : undefined,
    evaluate: async (prober) => {
      if (prober.session.limit.isSeen) {
        return notApplicable('the endpoint limits the rate, so no bursts were sent');
      }
      const all: Exchange[] = [];
      for (let burst = 1; burst <= bursts; burst++) {
        const exchanges = await sendBurst(prober);
        const result = evaluateBurst(exchanges, burst);
        if (result) return result;
        all.push(...exchanges);
      }
      return evaluateAll(all, prober.settings.deadlineMs);
    },
  },
];

async function sendBurst(prober: Prober): Promise<readonly Exchange[]> {
  await prober.session.pace.take(eventsPerBurst);
  const requests = Array.from({ length: eventsPerBurst }, () => ({
    ...prober.validRequest(),
    isRepeatable: false,
  }));
  const options = { isPaced: true, isRepeated: false };
  return Promise.all(requests.map((request) => prober.send(request, options)));
}

/** Undefined if each event was accepted. */
function evaluateBurst(exchanges: readonly Exchange[], burst: number): CheckResult | undefined {
  const refused = exchanges.filter((exchange) => !isSuccess(exchange));
  const [first] = refused;
  if (!first) return undefined;
  const isLimited = refused.every(({ response }) => response?.status === 429);
  const count = `${refused.length} of ${eventsPerBurst} events of burst ${burst}`;
  if (isLimited) return notApplicable(`${count} were answered HTTP 429, too many requests`, first);
  return failed(`${count} were not accepted: ${described(first)}`, first);
}

function evaluateAll(all: readonly Exchange[], deadlineMs: number): CheckResult {
  const p95 = percentile(
    all.map(({ durationMs }) => durationMs),
    95,
  );
  const found = `p95 ${msText(p95)} of ${all.length} events`;
  if (p95 < deadlineMs) return passed(found, all[0]);
  return failed(`${found}, expected < ${msText(deadlineMs)}`, all[0]);
}
