import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Series } from '../../src/report/series.js';
import { anyAttempt, attempt, start } from './attempts.js';

function seriesOf(attempts: readonly ReturnType<typeof attempt>[]) {
  const series = new Series();
  for (const one of attempts) series.add(one);
  return series.values();
}

describe('attempts over time', () => {
  it('count every attempt in the interval in which it began, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(anyAttempt, { minLength: 1 }), (attempts) => {
        const { seconds, buckets } = seriesOf(attempts);
        const model = new Map<string, number>();
        for (const { at } of attempts) {
          const width = seconds * 1000;
          const begin = new Date(Math.floor(at / width) * width).toISOString();
          model.set(begin, (model.get(begin) ?? 0) + 1);
        }
        expect(new Map(buckets.map(({ at, attempts: some }) => [at, some]))).toEqual(model);
        expect(buckets.map(({ at }) => at)).toEqual([...model.keys()].sort());
        expect(seriesOf(attempts.toReversed())).toEqual({ seconds, buckets });
      }),
    );
  });

  it.each([
    [1, 0.01],
    [700, 0.01],
    [2_400, 0.1],
    [60_000, 1],
    [724_000, 10],
    [3_600_000, 60],
    [30 * 86_400_000, 12 * 3600],
    [20 * 365 * 86_400_000, 128 * 86_400],
  ])('%d ms of them are cut into steps of %d s', (span, seconds) => {
    const many = Array.from({ length: 1_000 }, (_, i) => attempt({ at: start + (span * i) / 999 }));
    const series = seriesOf(many);
    expect(series.seconds).toBe(seconds);
    expect(series.buckets.length).toBeLessThanOrEqual(80);
  });

  it('of which there are few have wider steps, so that a step has more than one', () => {
    const few = [0, 400, 800].map((ms) => attempt({ at: start + ms }));
    expect(seriesOf(few)).toMatchObject({ seconds: 1, buckets: [{ attempts: 3 }] });
  });

  it('have p50 and p95 in each interval, null if nothing was timed', () => {
    const series = new Series();
    for (let ms = 1; ms <= 100; ms++) series.add(attempt({ durationMs: ms }));
    series.add(attempt({ at: start + 1_000, error: 'gone', status: null }));
    const [first, second] = series.values().buckets;
    expect(first!.p50! / 50).toBeCloseTo(1, 1);
    expect(first!.p95! / 95).toBeCloseTo(1, 1);
    expect(second).toMatchObject({ attempts: 1, p50: null, p95: null });
  });
});
