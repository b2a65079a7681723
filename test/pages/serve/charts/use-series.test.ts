import { expect, it } from 'vitest';
import { continued } from '../../../../pages/serve/charts/use-series.js';
import type { Series } from '../../../../src/api/serve.js';

/** Steps of 10 seconds from a number on, each with these counts. */
function series(first: number, counts: readonly number[]): Series {
  return {
    ...{ stepSeconds: 10, from: new Date(first * 10_000).toISOString(), first },
    next: first + counts.length - 1,
    ...{ received: counts, delivered: counts, failedAttempts: counts, waiting: counts },
  };
}

it('is the first answer while there is none before', () => {
  expect(continued(undefined, series(7, [1, 2]), '15m')).toEqual(series(7, [1, 2]));
});

it('replaces the step that was not complete, and goes on behind it', () => {
  const joined = continued(series(7, [1, 2]), series(8, [5, 6]), '15m');
  expect(joined).toEqual(series(7, [1, 5, 6]));
});

it('drops the steps that are older than the span', () => {
  const before = series(
    0,
    Array.from({ length: 91 }, (_, i) => i),
  );
  const joined = continued(before, series(90, [90, 91, 92]), '15m');
  expect([joined.first, joined.received.length]).toEqual([2, 91]);
  expect(joined.received.slice(-2)).toEqual([91, 92]);
  expect(joined.from).toBe(new Date(20_000).toISOString());
});

it('begins anew where steps are missing between, or the service was started again', () => {
  expect(continued(series(7, [1, 2]), series(20, [5]), '1h')).toEqual(series(20, [5]));
  expect(continued(series(7, [1, 2]), series(3, [5]), '1h')).toEqual(series(3, [5]));
});
