import { expect, it } from 'vitest';
import { behindText } from '../../../../pages/serve/overview/behind.js';
import type { EventAtDestination, UserQueue } from '../../../../src/api/serve.js';

const now = Date.parse('2026-11-20T08:30:00.000Z');

function queue(
  first: Partial<EventAtDestination> | null,
  more: Partial<UserQueue> = {},
): UserQueue {
  const event = { type: 'track', name: 'Signed Up', messageId: 'm1', ...first };
  return {
    first: first && (event as EventAtDestination),
    ...{ code: null, message: null, waiting: 3, ...more },
  };
}

it('says which event a user waits for, why it failed last, and when it is tried again', () => {
  const nextAt = '2026-11-20T08:31:30.000Z';
  const failure = { code: 'status_500', message: 'http://crm.example.com/hook: 500' };
  expect(behindText(queue({ state: 'retrying', nextAt }, failure), now)).toBe(
    'track Signed Up m1: http://crm.example.com/hook: 500, next in 1 min',
  );
  expect(behindText(queue({ state: 'retrying', nextAt }, failure), now + 100_000)).toBe(
    'track Signed Up m1: http://crm.example.com/hook: 500, next attempt now',
  );
  expect(behindText(queue({ state: 'queued', name: null }), now)).toBe('track m1: is sent now');
  expect(behindText(queue(null), now)).toBe('an event that cannot be read');
});
