import { type Check, failed, passed } from '../check.js';

/** The status with which an endpoint ends a subscription. */
export const goneChecks: readonly Check[] = [
  {
    id: 'gone.410',
    level: 'info',
    stage: 'observe',
    title: 'Does not return 410 Gone',
    sends: 'no request; reads all responses',
    requests: 0,
    passes: 'no response is HTTP 410',
    why: 'Senders stop at HTTP 410 and disable the endpoint (Standard Webhooks, CloudEvents HTTP webhooks 2.2).',
    fix: 'Return 410 only if the endpoint should get no more events; use 404 or 400 for anything else.',
    evaluate: ({ session }) => {
      const gone = session.exchanges.filter(({ response }) => response?.status === 410);
      const [first] = gone;
      return Promise.resolve(
        first
          ? failed(
              `HTTP 410 (${gone.length} of ${session.exchanges.length}): senders stop here`,
              first,
            )
          : passed('no response was HTTP 410'),
      );
    },
  },
];
