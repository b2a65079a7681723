import { describe, expect, it } from 'vitest';
import type { RequestRow } from '../../../../src/api/listen.js';
import { isSparse, timelineOf, topOf } from '../../../../pages/listen/charts/timeline.js';
import { row } from '../rows.js';

const start = Date.UTC(2026, 10, 20, 8, 30);

function at(seconds: number, more: Partial<RequestRow> = {}): RequestRow {
  return row(1, { receivedAt: new Date(start + seconds * 1000).toISOString(), ...more });
}

const sum = (list: readonly number[]): number => list.reduce((total, count) => total + count, 0);

describe('timelineOf', () => {
  it('counts requests by the second', () => {
    const { stepSeconds, times, counts } = timelineOf([at(0), at(0.9), at(2)], 'response');
    expect(stepSeconds).toBe(1);
    expect(times.at(-1)).toBe(start / 1000 + 2);
    expect(counts[0]!.slice(-4)).toEqual([0, 2, 0, 1]);
  });

  it.each([
    [60, 1],
    [100, 2],
    [3600, 60],
    [86_400, 1800],
    [400 * 86_400, 400 * 86_400],
  ])('has columns for %i seconds, few enough to be seen', (seconds, most) => {
    const { stepSeconds, times, counts } = timelineOf([at(0), at(seconds)], 'response');
    expect(stepSeconds).toBeLessThanOrEqual(most);
    expect(times.length).toBeGreaterThanOrEqual(30);
    expect(times.length).toBeLessThanOrEqual(90);
    expect(sum(counts[0]!)).toBe(2);
  });

  it('tells responses apart', () => {
    const none = { response: { status: null, delayMs: 0 } };
    const bad = { response: { status: 503, delayMs: 0 } };
    const { counts } = timelineOf([at(0), at(0, none), at(0, bad), at(0, bad)], 'response');
    expect(counts.map(sum)).toEqual([1, 2, 1]);
  });

  it('tells verdicts apart', () => {
    const verdicts = ['valid', 'unchecked', 'missing', 'missing', 'invalid'] as const;
    const rows = verdicts.map((signature) => at(0, { signature }));
    expect(timelineOf(rows, 'signature').counts.map(sum)).toEqual([1, 1, 2, 1]);
  });

  it('has the middle and the slow of each column, and of all', () => {
    const rows = Array.from({ length: 100 }, (_, i) => at(0, { durationMs: i + 1 }));
    const { p50, p95, overall } = timelineOf([...rows, at(3, { durationMs: 7 })], 'response');
    expect(p50.slice(-4)).toEqual([50, null, null, 7]);
    expect(p95.slice(-4)).toEqual([95, null, null, 7]);
    expect(overall).toEqual({ p50: 50, p95: 95 });
  });

  it('stands a clock that was set back', () => {
    const { counts } = timelineOf([at(50), at(0), at(20)], 'response');
    expect(sum(counts[0]!)).toBe(3);
  });

  it('has little to show in a few columns, however many requests they have', () => {
    const rows = [0, 1, 2, 3].flatMap((second) => Array.from({ length: 50 }, () => at(second)));
    expect(isSparse(timelineOf(rows, 'response'))).toBe(true);
    expect(isSparse(timelineOf([...rows, at(7)], 'response'))).toBe(false);
  });

  it('is empty for nothing', () => {
    expect(timelineOf([], 'response')).toMatchObject({
      times: [],
      overall: { p50: null, p95: null },
    });
  });
});

it.each([
  [0, 2],
  [3, 3],
  [58, 60],
  [100, 100],
  [101, 200],
])('ends the scale of up to %s requests at %s', (count, top) => {
  expect(topOf(count)).toBe(top);
});
