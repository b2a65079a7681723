import { expect, it } from 'vitest';
import { givenTimeMs, periodProblem } from '../../src/events/given-time.js';

const now = Date.parse('2026-11-27T12:00:00Z');

it.each([
  ['1h', '2026-11-27T11:00:00.000Z'],
  ['2026-11-27', '2026-11-27T00:00:00.000Z'],
  ['2026-11-27T08:00:00+02:00', '2026-11-27T06:00:00.000Z'],
  ['104000000d', '-271821-04-20T00:00:00.000Z'],
])('%s is %s', (text, time) => {
  expect(new Date(givenTimeMs(text, now)!).toISOString()).toBe(time);
});

it.each(['monday', '1', '2026-02-30', '2026-11-27T08:00:00', ''])('%j is no time', (text) => {
  expect(givenTimeMs(text, now)).toBeUndefined();
});

it('a period ends later than it begins, and may be open', () => {
  expect(periodProblem(2, 1)).toContain('since (1970-01-01T00:00:00.002Z) is later than until (');
  expect(periodProblem(1, 1)).toBe(
    'until is exclusive and the same as since (1970-01-01T00:00:00.001Z), so nothing is between them; use a later until: for a whole day, the next day',
  );
  expect(periodProblem(1, 2)).toBeUndefined();
  expect(periodProblem(undefined, 1)).toBeUndefined();
  expect(periodProblem(1, undefined)).toBeUndefined();
});

it('a period of what is past does not begin in the future', () => {
  expect(periodProblem(2, undefined, 1)).toBe(
    'since (1970-01-01T00:00:00.002Z) is in the future, so nothing is after it; use an earlier since',
  );
  expect(periodProblem(2, 3, 1)).toContain('is in the future');
  expect(periodProblem(3, 2, 1)).toContain('swap them');
  expect(periodProblem(1, 3, 1)).toBeUndefined();
});
