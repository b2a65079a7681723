import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../../src/ledger/histogram.js';

function histogramOf(durations: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const ms of durations) histogram.add(ms);
  return histogram;
}

describe('a percentile', () => {
  it('is null without durations', () => {
    expect(new Histogram().percentile(0.5)).toBeNull();
  });

  it('is within 2% of the duration of that rank', () => {
    const duration = fc.double({ min: 0.01, max: 2e7, noNaN: true });
    const share = fc.constantFrom(0.001, 0.25, 0.5, 0.75, 0.95, 0.99, 1);
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 300 }), share, (durations, at) => {
        const sorted = durations.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(sorted.length * at) - 1]!;
        const found = histogramOf(durations).percentile(at)!;
        expect(Math.abs(found / exact - 1)).toBeLessThanOrEqual(0.02);
      }),
    );
  });

  it('is the same for all shares if there is only one duration', () => {
    const histogram = histogramOf([100]);
    expect([0, 0.5, 1].map((share) => histogram.percentile(share))).toEqual([
      histogram.percentile(0.5),
      histogram.percentile(0.5),
      histogram.percentile(0.5),
    ]);
  });

  it('accepts durations from zero to hours', () => {
    const histogram = histogramOf([0, -1, 14_400_000]);
    expect(histogram.percentile(0.5)).toBe(0.01);
    expect(histogram.percentile(1)! / 14_400_000).toBeCloseTo(1, 1);
  });
});
