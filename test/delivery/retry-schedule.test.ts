import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultRetryDelaysMs,
  nextAttemptAt,
  type FailedAttempt,
  type RetryPolicy,
} from '../../src/delivery/retry-schedule.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Without jitter: 0.5 is the middle. */
function policy(windowMs: number, random = () => 0.5): RetryPolicy {
  return { windowMs, delaysMs: defaultRetryDelaysMs, random };
}

/** When each try begins, the first at 0, if each takes `lengthMs` and the answer is always no. */
function attemptsOf(retries: RetryPolicy, lengthMs: () => number, retryAfterMs?: number): number[] {
  const starts = [0];
  for (;;) {
    const now = starts.at(-1)! + lengthMs();
    const failed: FailedAttempt = { attempts: starts.length, firstAt: 0, now, retryAfterMs };
    const at = nextAttemptAt(retries, failed);
    if (at === undefined) return starts;
    expect(at).toBeGreaterThanOrEqual(now);
    starts.push(at);
    // A schedule that never ends would hang the test.
    expect(starts.length).toBeLessThan(100);
  }
}

const waitsOf = (starts: readonly number[]): number[] =>
  starts.slice(1).map((start, i) => start - starts[i]!);

describe('the schedule', () => {
  it('is 5 s, 15 s, 45 s, 2 m, 5 m, 10 m, 20 m, 40 m, 60 m, and a last try inside 4 hours', () => {
    const starts = attemptsOf(policy(4 * hour), () => 0);
    expect(waitsOf(starts).slice(0, -1)).toEqual([
      5 * second,
      15 * second,
      45 * second,
      2 * minute,
      5 * minute,
      10 * minute,
      20 * minute,
      40 * minute,
      60 * minute,
      60 * minute,
    ]);
    expect(starts.at(-1)).toBe(4 * hour - second);
  });

  it.each([
    ['with a window of 0 has no second attempt', 0, [0]],
    ['cut to 1 s is attempted once more, inside of it', second, [0, 950]],
    ['cut to 20 s', 20 * second, [0, 5 * second, 19 * second]],
    [
      'cut to 22 s gives an attempt up rather than crowd the last',
      22 * second,
      [0, 5 * second, 20 * second],
    ],
    ['cut to 1 m', minute, [0, 5 * second, 20 * second, 59 * second]],
  ])('%s', (_title, windowMs, expected) => {
    expect(attemptsOf(policy(windowMs), () => 0)).toEqual(expected);
  });

  it.each<[string, Partial<FailedAttempt>, number | undefined]>([
    ['is put off by a Retry-After', { retryAfterMs: 7_001 }, 7_001],
    ['is put forward by a Retry-After', { attempts: 8, retryAfterMs: 1 }, 1],
    ['obeys a Retry-After to the last attempt', { retryAfterMs: hour - second }, hour - second],
    ['cuts a Retry-After to the last attempt', { retryAfterMs: hour + 1 }, hour - second],
    ['cuts a huge Retry-After', { retryAfterMs: 1e300 }, hour - second],
    ['gives up when the window is over', { now: hour + 1 }, undefined],
    ['gives up when a slow attempt took the last of it', { now: hour - second }, undefined],
    ['counts from the first attempt', { firstAt: -hour + minute, attempts: 8 }, minute - second],
    ['repeats its last wait', { attempts: 99 }, hour - second],
  ])('%s', (_title, failed, expected) => {
    const usual = { attempts: 1, firstAt: 0, now: 0 };
    expect(nextAttemptAt(policy(hour), { ...usual, ...failed })).toBe(expected);
  });

  it('with a window of 0 has no second attempt, whatever a Retry-After says', () => {
    const retryAfter = fc.option(fc.integer({ min: 0, max: 1e9 }), { nil: undefined });
    fc.assert(
      fc.property(fc.nat(9), fc.nat(5_000), retryAfter, (attempts, now, retryAfterMs) => {
        const failed = { attempts: attempts + 1, firstAt: 0, now, retryAfterMs };
        expect(nextAttemptAt(policy(0), failed)).toBeUndefined();
      }),
    );
  });

  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const length = fc.nat(5_000);

  it('has no attempt after the window, and always one more within it', () => {
    const windows = fc.integer({ min: 1, max: 8 * hour });
    fc.assert(
      fc.property(windows, fc.infiniteStream(random), length, (windowMs, jitter, lengthMs) => {
        const next = (): number => jitter.next().value as number;
        const starts = attemptsOf(policy(windowMs, next), () => lengthMs);
        expect(starts.at(-1)).toBeLessThanOrEqual(windowMs);
        if (windowMs > 10 * (lengthMs + 1)) expect(starts.length).toBeGreaterThan(1);
        if (windowMs > 10 * second)
          expect(starts.at(-1)).toBeGreaterThan(windowMs - 2 * second - 2 * lengthMs);
      }),
    );
  });

  it('has at least 8 attempts in 4 hours, the first waits about 5 s, 15 s and 45 s', () => {
    fc.assert(
      fc.property(fc.infiniteStream(random), length, (jitter, lengthMs) => {
        const next = (): number => jitter.next().value as number;
        const starts = attemptsOf(policy(4 * hour, next), () => lengthMs);
        expect(starts.length).toBeGreaterThanOrEqual(8);
        const waits = waitsOf(starts).map((wait) => Math.round(wait) - lengthMs);
        for (const [i, usual] of [5, 15, 45].map((seconds) => seconds * second).entries()) {
          expect(waits[i]).toBeGreaterThanOrEqual(0.8 * usual);
          expect(waits[i]).toBeLessThanOrEqual(1.2 * usual);
        }
      }),
    );
  });

  it('spreads events that failed together', () => {
    const waits = [0, 0.25, 0.75, 0.999].map((value) =>
      nextAttemptAt(
        policy(hour, () => value),
        { attempts: 1, firstAt: 0, now: 0 },
      )!,
    );
    expect(new Set(waits).size).toBe(waits.length);
  });

  it('has attempts at each Retry-After inside the window, and a last one at its end', () => {
    const starts = attemptsOf(policy(hour), () => 10, 10 * minute);
    expect(waitsOf(starts).slice(0, 5)).toEqual(Array(5).fill(10 * minute + 10));
    expect(starts.slice(6)).toEqual([hour - second]);
  });
});
