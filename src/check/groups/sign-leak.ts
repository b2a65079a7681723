import type { Check } from '../check.js';
import { described, isForged, type Exchange } from '../exchange.js';
import { sendForged, signingOf, withHeader } from '../forgery.js';
import { failed, passed, unjudged, type Judgement } from '../judgement.js';
import { leakOf } from '../leaks.js';
import type { Prober } from '../prober.js';
import { withoutSecret } from '../scheme-needs.js';

export const leakCheck: Check = {
  id: 'sign.leak',
  level: 'must',
  stage: 'observe',
  title: 'Reveals nothing when it refuses an event',
  sends: 'an event without a signature; it looks at the responses to the other forged events, too',
  requests: 1,
  passes:
    'no response to a forged event has the right signature, the secret or a stack trace in it',
  why: 'A response that contains the expected signature lets anyone sign any event. A stack trace reveals paths, versions and code.',
  fix: 'Return 401 with an empty body or a fixed text. Turn debug pages off, and write details to your own log.',
  snippet: 'errors',
  notFor: withoutSecret,
  // One of its own, so that there is a response to look at when it is the only check.
  send: async (prober) => {
    await sendForged(prober, prober.event(), (draft) => withHeader(draft, undefined));
  },
  judge: (prober) =>
    Promise.resolve(judgeForged(prober.session.exchanges.filter(isForged), prober)),
};

/** A server error is not an acceptance either, and shows the most. A rate limit has not looked at the event. */
function isRefused({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 400 && response.status !== 429;
}

function judgeForged(sent: readonly Exchange[], prober: Prober): Judgement {
  const refused = sent.filter(isRefused);
  for (const exchange of refused) {
    const leak = leakOf(exchange, signingOf(prober));
    if (leak === undefined) continue;
    return failed(
      `the response to a forged event has ${leak} in it: ${described(exchange)}`,
      exchange,
    );
  }
  if (refused.length === 0) return unjudged('no forged event was refused');
  return passed(`${refused.length} refusals reveal nothing`);
}
