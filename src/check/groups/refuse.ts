import { withoutServerError } from '../acceptance.js';
import { type Check, failed, passed } from '../check.js';
import { described, isSuccess } from '../exchange.js';

/** Requests that are no events: they may be refused, and must not break anything. */
export const refuseChecks: readonly Check[] = [
  refuses('refuse.bad-json', 'a body that is not JSON', Buffer.from('{"type":"track","userId":')),
  refuses('refuse.empty', 'an empty body', Buffer.alloc(0)),
  refusesType(),
];

function refuses(id: string, what: string, body: Buffer): Check {
  return {
    id,
    level: 'should',
    stage: 'parallel',
    title: `Refuses ${what} without a server error`,
    sends: `${what}, with a valid signature`,
    requests: 1,
    passes: '4xx or 2xx; not 5xx, a reset or a timeout',
    why: 'After 5xx a sender retries for hours; 400 tells it that a retry is pointless (RFC 9110: 4xx is a client error).',
    fix: 'Parse the body in a try block after the signature is verified, and return 400 if that fails.',
    cause: 'bodies of any kind',
    evaluate: async (prober) => {
      const event = { ...prober.event(), body, contentType: 'application/json' };
      return withoutServerError(await prober.send(() => prober.request(event)), what);
    },
  };
}

function refusesType(): Check {
  return {
    id: 'refuse.type',
    level: 'info',
    stage: 'parallel',
    title: 'Handles another Content-Type',
    sends: 'a valid event with Content-Type: text/plain',
    requests: 1,
    passes: '415 or 2xx',
    why: 'A framework may pass an empty body for a type that it does not know; 415 names the cause (CloudEvents HTTP webhooks 2.2).',
    fix: 'Return 415 for types that you do not read, or read the raw body whatever its type.',
    evaluate: async (prober) => {
      const event = { ...prober.event(), contentType: 'text/plain' };
      const exchange = await prober.send(() => prober.request(event));
      const isRight = isSuccess(exchange) || exchange.response?.status === 415;
      return isRight
        ? passed(described(exchange), exchange)
        : failed(`text/plain: ${described(exchange)}, expected 415 or 2xx`, exchange);
    },
  };
}
