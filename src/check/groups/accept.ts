import { acceptance } from '../acceptance.js';
import { type Check, failed, passed, inconclusive } from '../check.js';
import { described, isRedirect } from '../exchange.js';
import type { EventKind, Sender } from '../senders/sender.js';

/** A valid event of each kind, and no redirects. */
export function acceptChecks({ kinds }: Sender): readonly Check[] {
  return [...kinds.map(acceptKind), noRedirect()];
}

function acceptKind(kind: EventKind): Check {
  const { name, what } = kind;
  return {
    id: `accept.${name}`,
    level: 'must',
    stage: 'accept',
    title: `Accepts ${name.replaceAll('_', ' ')}`,
    sends: what,
    requests: 1,
    passes: '2xx',
    why: 'Senders treat any status but 2xx as a failure: they retry for hours, or disable the endpoint (Standard Webhooks: only 2xx is success).',
    fix: 'Return 200 or 204 for every event type, including those that your code does not use.',
    cause: 'acceptance',
    evaluate: async (prober) => acceptance(await prober.sendValid({ kind })),
  };
}

function noRedirect(): Check {
  return {
    id: 'accept.no-redirect',
    level: 'must',
    stage: 'observe',
    title: 'Responds at this URL, without a redirect',
    sends: 'no request; reads the responses to valid events',
    requests: 0,
    passes: 'no 3xx',
    why: 'Senders do not follow redirects, so the event is lost (CloudEvents HTTP webhooks 2.2, Standard Webhooks).',
    fix: 'Register the final URL with the sender: check http versus https, www, and the trailing slash.',
    snippet: 'redirect',
    evaluate: ({ session }) => {
      const valid = session.exchanges.filter(({ request }) => request.isValid);
      const redirected = valid.find(isRedirect);
      if (redirected)
        return Promise.resolve(
          failed(`a valid event was redirected: ${described(redirected)}`, redirected),
        );
      const isSeen = valid.some(({ response }) => response);
      return Promise.resolve(
        isSeen ? passed('no redirect') : inconclusive('no valid event had a response'),
      );
    },
  };
}
