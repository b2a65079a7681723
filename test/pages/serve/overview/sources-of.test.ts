import { expect, it } from 'vitest';
import { isEmpty, takesOnlyRequests } from '../../../../pages/serve/overview/sources-of.js';
import { destination, overview, source } from './overview.js';

const raw = { path: '/in', scheme: 'auto', verified: false, enforced: false };

it('a destination takes only requests if all of its sources are raw, and there is one', () => {
  const hooks = source({ name: 'hooks', raw });
  expect(takesOnlyRequests(overview({ sources: [hooks] }), 'crm')).toBe(true);
  expect(takesOnlyRequests(overview({ sources: [hooks, source()] }), 'crm')).toBe(false);
  expect(takesOnlyRequests(overview({ sources: [hooks] }), 'shop')).toBe(false);
  expect(takesOnlyRequests(undefined, 'crm')).toBe(false);
});

it('a destination is empty if it got nothing of what its sources have sent', () => {
  const known = overview({ sources: [source({ received: 3 })] });
  expect(isEmpty(known, destination())).toBe(true);
  expect(isEmpty(overview({ sources: [source()] }), destination())).toBe(false);
  for (const change of [{ delivered: 1 }, { queued: 1 }, { retrying: 1 }, { deadLetters: 1 }]) {
    expect(isEmpty(known, destination(change))).toBe(false);
  }
  expect(isEmpty(known, destination({ enabled: false }))).toBe(false);
});
