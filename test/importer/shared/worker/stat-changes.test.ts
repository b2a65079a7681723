import { describe, expect, it } from 'vitest';
import {
  addStats,
  LatencyDeltas,
  StatDeltas,
} from '../../../../src/importer/shared/worker/stat-changes.js';
import { Histogram, sharedCounts } from '../../../../src/ledger/histogram.js';

const counts = { delivered: 0, rejected: 0, failed: 0, skipped: 0, disabled: 0, unwanted: 0 };
const none = { counts, bytes: 0, retries: 0, reasons: [], urls: [] };

describe('changes of totals', () => {
  it('are added by name, and left out where they are nothing', () => {
    expect(addStats({ a: 1, b: 2 }, { b: -2, c: 3 }, { c: 1 })).toEqual({ a: 1, c: 4 });
  });

  it('are what was counted since the last time', () => {
    const deltas = new StatDeltas([]);
    const first = { ...none, counts: { ...counts, delivered: 5 }, bytes: 50, retries: 1 };
    expect(deltas.next(none)).toEqual({});
    expect(deltas.next(first)).toEqual({ delivered: 5, bytes: 50, retries: 1 });
    expect(deltas.next(first)).toEqual({});
    const reasons = [{ code: 'status_400', count: 2 }];
    const second = { ...first, counts: { ...first.counts, failed: 2 }, reasons };
    expect(deltas.next(second)).toEqual({ failed: 2, 'reason:status_400': 2 });
  });

  it('have the counts of each URL by its position, and why it failed', () => {
    const deltas = new StatDeltas(['a', 'b']);
    const of = (url: string, delivered: number, failed: number, lastReason: string | null) => ({
      ...{ url, delivered, failed, lastReason },
    });
    const first = [of('a', 2, 0, null), of('b', 0, 2, 'status_500')];
    expect(deltas.next({ ...none, urls: first })).toEqual({
      'url:0:delivered': 2,
      'url:1:failed': 2,
      'url:1:reason:status_500': 2,
    });
    const second = [of('a', 2, 0, null), of('b', 1, 3, 'timeout')];
    expect(deltas.next({ ...none, urls: second })).toEqual({
      'url:1:delivered': 1,
      'url:1:failed': 1,
      'url:1:reason:timeout': 1,
    });
  });
});

describe('changes of durations', () => {
  it('are the buckets of the histogram that have changed, each with its change', () => {
    const memory = sharedCounts();
    const histogram = new Histogram(memory);
    const deltas = new LatencyDeltas(memory);
    for (const ms of [10, 10, 500]) histogram.add(ms);
    const first = deltas.next();
    expect(Object.values(first)).toEqual([2, 1]);
    expect(deltas.next()).toEqual({});
    histogram.add(10);
    expect(deltas.next()).toEqual({ [Object.keys(first)[0]!]: 1 });
  });
});
