import { acceptance, allAccepted } from '../acceptance.js';
import { type Check, inconclusive, type CheckResult } from '../check.js';
import { type Exchange, described } from '../exchange.js';
import type { Prober } from '../prober.js';
import { effectCheck } from './dup-effect.js';

const times = 3;
const parallel = 5;

/** The same event more than once, as senders repeat it when a response was lost. */
export const dupChecks: readonly Check[] = [
  {
    id: 'dup.again',
    level: 'must',
    stage: 'parallel',
    title: 'Accepts an event that it already has',
    sends: 'the same valid event three times, one after the other',
    requests: times,
    passes: '2xx each',
    why: 'A sender repeats an event when a response was lost. Anything but 2xx makes it repeat for hours (Standard Webhooks: idempotency key; GitHub: the same id on redelivery).',
    fix: 'Look up the id of the event. If it is known, return 200 and do nothing: no 409, and no error from a unique index.',
    cause: 'repeats',
    evaluate: async (prober) => {
      const event = prober.event();
      const exchanges = [];
      for (let sent = 0; sent < times; sent++) {
        exchanges.push(await prober.sendEvent(event));
      }
      return repeatsAccepted(exchanges);
    },
  },
  {
    id: 'dup.parallel',
    level: 'should',
    stage: 'exclusive',
    title: 'Accepts the same event five times at once',
    sends: 'the same valid event five times at once',
    requests: parallel,
    passes: '2xx each',
    why: 'A sender that timed out sends the event again while the first request is still being handled.',
    fix: 'Let the database decide which request was first: INSERT … ON CONFLICT DO NOTHING on the id of the event, then return 200 to all. A SELECT before the INSERT is a race.',
    cause: 'repeats',
    evaluate: async (prober) => allAccepted(await sendAtOnce(prober), 'a parallel repeat'),
  },
  effectCheck(),
];

/** The first one is judged by other checks. */
function repeatsAccepted([first, ...repeats]: readonly Exchange[]): CheckResult {
  if (acceptance(first!).outcome !== 'passed') {
    return inconclusive(`the event itself was not accepted: ${described(first!)}`, first);
  }
  return allAccepted(repeats, 'a repeat');
}

/** At a rate that does not allow all at once, one after the other. */
async function sendAtOnce(prober: Prober): Promise<Exchange[]> {
  const { session } = prober;
  const event = prober.event();
  const isPaced = session.pace.rate >= parallel;
  if (isPaced) await session.pace.take(parallel);
  const send = () => prober.send(() => prober.validRequest(event), { isPaced });
  return Promise.all(Array.from({ length: parallel }, send));
}
