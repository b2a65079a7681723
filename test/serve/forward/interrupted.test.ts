import { expect, it } from 'vitest';
import { explainFailure } from '../../../src/delivery/describe.js';
import type { EndpointDeliveryState } from '../../../src/delivery/outcome.js';
import { interruptedOutcome } from '../../../src/serve/forward/interrupted.js';
import { eventOf } from '../../helpers/events.js';

const now = Date.parse('2026-11-20T08:30:00.000Z');
const urls = ['http://one/', 'http://two/', 'http://three/', 'http://four/'];
const before = { attempts: 1, firstAt: now - 10_000, status: 503, error: null } as const;

function after(states?: readonly EndpointDeliveryState[]) {
  const stamp = { messageId: 'm1', writesMessageId: false };
  const event = { id: 1, source: 'web', receivedAt: now, queuedAt: now };
  const whole = { ...event, event: eventOf({ messageId: 'm1' }), stamp };
  return interruptedOutcome(
    { ...whole, ...(states && { endpointDeliveries: states }) },
    urls,
    {},
    now,
  );
}

it('counts an attempt at each due URL, and leaves the others unchanged', () => {
  const endpointDeliveries: EndpointDeliveryState[] = [
    { ...before, dueAt: now - 1 },
    { ...before, dueAt: now + 60_000 },
    { ...before, status: 404 },
    { ...before, status: 200, isDelivered: true },
  ];
  const { retry, attemptCount } = after(endpointDeliveries);
  expect(retry!.endpointDeliveries).toEqual([
    { ...before, attempts: 2, status: null, error: 'internal_error', dueAt: now + 15_000 },
    ...endpointDeliveries.slice(1),
  ]);
  expect([retry!.dueAt, attemptCount]).toEqual([now + 15_000, 5]);
});

it('has its own code and message', () => {
  const { endpointDeliveries } = after().retry!;
  expect(endpointDeliveries).toHaveLength(4);
  expect(explainFailure('http://one/', endpointDeliveries[0]!)).toEqual({
    code: 'internal_error',
    message: 'http://one/: an internal error of evfwd ended the attempt; see the log (1 attempt)',
  });
});
