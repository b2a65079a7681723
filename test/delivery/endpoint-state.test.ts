import { describe, expect, it } from 'vitest';
import { afterAttempt, dueBy, isPastWindow } from '../../src/delivery/endpoint-state.js';
import type { AttemptResult, EndpointDeliveryState } from '../../src/delivery/outcome.js';
import { defaultRetryDelaysMs, type RetryPolicy } from '../../src/delivery/retry-schedule.js';

const policy: RetryPolicy = {
  ...{ windowMs: 100_000, delaysMs: defaultRetryDelaysMs, random: () => 0.5 },
};
const now = 1_000_000;

function result(change: Partial<AttemptResult>): AttemptResult {
  return {
    ...{ url: 'http://x', attempt: 1, at: now - 40, durationMs: 40, status: 503, error: null },
    ...{ verdict: 'retry', ...change },
  };
}

const tried: EndpointDeliveryState = {
  attempts: 2,
  firstAt: now - 30_000,
  status: null,
  error: 'timeout',
};
const first = { attempts: 1, firstAt: now - 40 };
const third = { attempts: 3, firstAt: now - 30_000 };

describe('one more try', () => {
  it.each<
    [string, EndpointDeliveryState | undefined, Partial<AttemptResult>, EndpointDeliveryState]
  >([
    ['the first', undefined, {}, { ...first, status: 503, error: null, dueAt: now + 5_000 }],
    [
      'the first, of one that was only handed back',
      { attempts: 0, firstAt: 0, status: null, error: null, dueAt: now },
      {},
      { ...first, status: 503, error: null, dueAt: now + 5_000 },
    ],
    ['the third', tried, {}, { ...third, status: 503, error: null, dueAt: now + 45_000 }],
    [
      'delivered',
      { ...tried, dueAt: now },
      { status: 200, verdict: 'delivered' },
      { ...third, status: 200, error: null, isDelivered: true },
    ],
    ['refused', tried, { status: 404, verdict: 'failed' }, { ...third, status: 404, error: null }],
    [
      'asked to wait',
      tried,
      { status: 429, retryAfterMs: 7_000 },
      { ...third, status: 429, error: null, dueAt: now + 7_000 },
    ],
    [
      'asked to wait for too long',
      tried,
      { status: 429, retryAfterMs: 70_001 },
      { ...third, status: 429, error: null, dueAt: now + 69_000 },
    ],
    [
      'the last of the window',
      { ...tried, firstAt: now - 99_000 },
      {},
      { attempts: 3, firstAt: now - 99_000, status: 503, error: null },
    ],
  ])('is added to the state: %s', (_what, before, change, after) => {
    expect(afterAttempt(before, result(change), policy, now)).toEqual(after);
  });

  it('keeps more about an error until the next attempt', () => {
    const before = afterAttempt(
      undefined,
      result({ status: null, error: 'timeout', detail: 'timed out after 5 s' }),
      policy,
      now,
    );
    expect(before.detail).toBe('timed out after 5 s');
    expect(afterAttempt(before, result({}), policy, now)).not.toHaveProperty('detail');
  });

  it('is late from the end of the window on, but never the first', () => {
    const late = (attempts: number, firstAt: number) =>
      isPastWindow({ ...tried, attempts, firstAt }, policy, now);
    expect([late(1, now - 100_000), late(1, now - 100_001), late(0, 0)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('is not late by the time that it waited for a turn of the rate', () => {
    const late = (lateMs: number) =>
      isPastWindow({ ...tried, attempts: 1, firstAt: now - 150_000, lateMs }, policy, now);
    expect([late(0), late(49_999), late(50_000)]).toEqual([true, true, false]);
  });
});

describe('an event that is due', () => {
  const open = (dueAt: number): EndpointDeliveryState => ({ ...tried, dueAt });
  const ended: EndpointDeliveryState = { ...tried, isDelivered: true };

  it.each<[string, EndpointDeliveryState[], EndpointDeliveryState[]]>([
    ['as it was stored', [open(now - 5)], [open(now - 5)]],
    ['stored by a clock that was ahead', [open(now + 60_000)], [open(now)]],
    [
      'at several URLs, which keep their distances',
      [open(now + 65_000), ended, open(now + 60_000)],
      [open(now + 5_000), ended, open(now)],
    ],
    ['at no URL', [ended], [ended]],
  ])('%s', (_when, endpointDeliveries, expected) => {
    expect(dueBy(now, endpointDeliveries)).toEqual(expected);
  });
});
