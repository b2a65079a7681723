import { expect, it } from 'vitest';
import { isSameEvent } from '../../../../pages/serve/detail/same-event.js';
import { outcome } from '../outcomes/samples.js';

const request = outcome({ id: 'a', type: 'POST', name: '/in/std/acc/1' });

it('requests with one id of their sender are different ones at another path or with another method', () => {
  const elsewhere = outcome({ id: 'b', type: 'POST', name: '/in/std/acc/2' });
  const anotherMethod = outcome({ id: 'c', type: 'PUT', name: '/in/std/acc/1' });
  expect(isSameEvent(request, elsewhere, true)).toBe(false);
  expect(isSameEvent(request, anotherMethod, true)).toBe(false);
});

it('a request is the same at another destination, and in another state', () => {
  expect(isSameEvent(request, { ...request, id: 'b', destination: 'crm' }, true)).toBe(true);
  expect(isSameEvent(request, { ...request, state: 'failed' }, true)).toBe(true);
  expect(isSameEvent(request, { ...request, id: 'b', source: 'other' }, true)).toBe(false);
});

it('records of an event are the same by messageId alone, also where a rejected call has another name', () => {
  const event = outcome({ id: 'a' });
  expect(isSameEvent(event, { ...event, id: 'b', name: null, state: 'rejected' }, false)).toBe(
    true,
  );
  const [one, other] = [
    outcome({ id: 'a', messageId: null }),
    outcome({ id: 'b', messageId: null }),
  ];
  expect(isSameEvent(one, other, false)).toBe(false);
});
