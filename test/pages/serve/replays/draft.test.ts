import { expect, it } from 'vitest';
import {
  bodyOf,
  draftFor,
  eventTypes,
  memberOf,
  selectionKey,
} from '../../../../pages/serve/replays/draft.js';
import { eventTypes as known } from '../../../../src/events/event.js';

it('the form has every type of event that is kept', () => {
  const kept = known.filter((type) => type !== 'delete');
  expect([...eventTypes].sort()).toEqual([...kept].sort());
});

it('an empty form asks for all of a destination', () => {
  expect(bodyOf(draftFor('crm'))).toEqual({ destination: 'crm' });
});

it('a form that is filled in asks for what it says, times as of the zone of the reader', () => {
  const body = bodyOf({
    ...{ destination: 'crm', since: '2026-11-27T14:00', until: '2026-11-27T15:30' },
    ...{ types: ['track', 'page'], events: 'Signed *\n\n  Paid\r\n', users: 'u1', where: ' a=b ' },
    ...{ state: 'dead', rate: ' 100/s ' },
  });
  expect(body).toEqual({
    destination: 'crm',
    since: new Date(2026, 10, 27, 14).toISOString(),
    until: new Date(2026, 10, 27, 15, 30).toISOString(),
    types: ['track', 'page'],
    ...{ events: ['Signed *', 'Paid'], users: ['u1'], where: ['a=b'] },
    ...{ state: 'dead', rate: '100/s' },
  });
});

it('a count holds for another rate, and for nothing else', () => {
  const draft = draftFor('crm');
  expect(selectionKey({ ...draft, rate: '1/s' })).toBe(selectionKey(draft));
  expect(selectionKey({ ...draft, users: 'u1' })).not.toBe(selectionKey(draft));
  expect(selectionKey(draftFor('shop'))).not.toBe(selectionKey(draft));
});

it.each([
  ['rate must be like 500/s, 90/m or 1000/h', 'rate'],
  ['where: a is not a condition', 'where'],
  ['the destination is off; switch it on before a replay', undefined],
  ['', undefined],
])('the error "%s" belongs to %s', (message, member) => {
  expect(memberOf(message)).toBe(member);
});
