import { describe, expect, it } from 'vitest';
import { selector, userOf, type Selection } from '../../src/events/select.js';
import { eventOf } from '../helpers/events.js';

function selects(selection: Selection, members: Record<string, unknown>): boolean {
  return selector(selection)(eventOf(members));
}

const noon = '2026-11-20T12:00:00.000Z';
const noonMs = Date.parse(noon);

describe('a selection accepts', () => {
  it.each<[boolean, Selection, Record<string, unknown>]>([
    [true, {}, {}],
    [true, { since: noonMs }, { timestamp: noon }],
    [true, { since: noonMs }, { timestamp: '2026-11-20T14:00:00+02:00' }],
    [false, { since: noonMs + 1 }, { timestamp: noon }],
    [false, { since: 0 }, {}],
    [false, { until: noonMs }, { timestamp: noon }],
    [true, { since: noonMs }, { originalTimestamp: noon }],
    [false, { until: noonMs }, { originalTimestamp: noon }],
    [false, { since: noonMs + 1 }, { timestamp: noon, originalTimestamp: '2027-01-01T00:00:00Z' }],
    [true, { until: noonMs + 1 }, { timestamp: noon }],
    [false, { until: noonMs }, {}],
    [true, { since: noonMs, until: noonMs + 1 }, { timestamp: noon }],
    [false, { since: noonMs, until: noonMs }, { timestamp: noon }],
    [true, { types: ['track', 'page'] }, {}],
    [false, { types: ['page'] }, {}],
    [true, { users: new Set(['u1']) }, {}],
    [false, { users: new Set(['u']) }, {}],
    [true, { users: new Set(['12']) }, { userId: 12 }],
    [true, { users: new Set(['a1']) }, { anonymousId: 'a1' }],
    [true, { users: new Set(['7']) }, { userId: '', anonymousId: 7 }],
    [false, { users: new Set(['']) }, { anonymousId: null }],
    [true, { types: ['track'], events: ['Opened'], users: new Set(['u1']) }, {}],
    [false, { types: ['track'], events: ['Closed'], users: new Set(['u1']) }, {}],
  ])('%s: %j of %j', (isSelected, selection, members) => {
    expect(selects(selection, members)).toBe(isSelected);
  });
});

describe('a name of events', () => {
  it.each([
    ['Order *', 'Order Completed', true],
    ['Order *', 'Order ', true],
    ['Order *', 'Order', false],
    ['Order *', 'An Order Completed', false],
    ['order *', 'Order Completed', false],
    ['*', 'anything', true],
    ['*Completed', 'Order Completed', true],
    ['O*C*d', 'Order Completed', true],
    ['Opened', 'Opened', true],
    ['Opened', 'Opened twice', false],
    ['Order *', 'Order\nCompleted \u2028', false],
    ['Order*', 'Order\nCompleted \u2028 more', true],
    ['a.b', 'aXb', false],
    ['a.b', 'a.b', true],
    ['a+', 'aa', false],
    ['(a|b)', 'a', false],
    ['[ab]', 'a', false],
    ['a-b/c', 'a-b/c', true],
    ['\\d', '1', false],
    ['\\-', '\\-', true],
    ['a{2}', 'aa', false],
    ['^a$', 'a', false],
    ['a?', 'a', false],
    ['\\^$.*+?()[]{}|/-', '\\^$.xyz+?()[]{}|/-', true],
    ['Ünï*😀', 'Ünïcode 😀', true],
  ])('%j matches %j: %s', (pattern, name, isSelected) => {
    expect(selects({ events: [pattern] }, { event: name })).toBe(isSelected);
  });

  it('may be one of several, and only track events have one', () => {
    expect(selects({ events: ['A*', 'O*'] }, {})).toBe(true);
    expect(selects({ events: ['*'] }, { type: 'page', event: 'Opened' })).toBe(false);
  });
});

describe('a sample', () => {
  const users = Array.from({ length: 10_000 }, (_, i) => `user-${i}`);
  const sampled = (sample: number) => users.filter((userId) => selects({ sample }, { userId }));

  it.each([0.01, 0.1, 0.5])('of %d has about that share of the users', (share) => {
    const expected = users.length * share;
    const spread = 4 * Math.sqrt(expected * (1 - share));
    expect(Math.abs(sampled(share).length - expected)).toBeLessThan(spread);
  });

  it('has all users at 100 %', () => {
    expect(sampled(1)).toHaveLength(users.length);
  });

  it('always has the same users, and a larger one has them, too', () => {
    const few = sampled(0.0005);
    expect(few).toEqual(['user-4949', 'user-7091', 'user-9718']);
    expect(sampled(0.1)).toEqual(expect.arrayContaining(few));
  });

  it('has all events of a user, as text or number, known by userId or not', () => {
    for (const id of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const isSelected = selects({ sample: 0.5 }, { userId: String(id) });
      expect(selects({ sample: 0.5 }, { userId: id, anonymousId: 'a' })).toBe(isSelected);
      expect(selects({ sample: 0.5 }, { userId: '', anonymousId: id })).toBe(isSelected);
      expect(selects({ sample: 0.5 }, { type: 'page', userId: null, anonymousId: `${id}` })).toBe(
        isSelected,
      );
    }
  });
});

it.each([
  [{ userId: 'u', anonymousId: 'a' }, 'u'],
  [{ userId: 0, anonymousId: 'a' }, '0'],
  [{ userId: '', anonymousId: 'a' }, 'a'],
  [{ userId: ' ', anonymousId: 'a' }, 'a'],
  [{ userId: null, anonymousId: 5 }, '5'],
])('the user of %j is %s', (members, user) => {
  expect(userOf(eventOf(members))).toBe(user);
});
