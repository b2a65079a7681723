import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../../src/ledger/histogram.js';
import { Durations } from '../../src/report/durations.js';

const anyDurations = fc.array(fc.double({ min: 0, max: 1e8, noNaN: true }), { minLength: 1 });
const anyShare = fc.double({ min: 0, max: 1, noNaN: true });

function filled(values: readonly number[]): Durations {
  const durations = new Durations();
  for (const value of values) durations.add(value);
  return durations;
}

describe('durations', () => {
  it('have the percentiles of the summary of a run, but never above the longest', () => {
    fc.assert(
      fc.property(anyDurations, anyShare, (values, share) => {
        const histogram = new Histogram();
        for (const value of values) histogram.add(value);
        const expected = Math.min(histogram.percentile(share)!, Math.max(...values));
        expect(filled(values).percentile(share)).toBe(expected);
      }),
    );
  });

  it('merge to the same as all together', () => {
    fc.assert(
      fc.property(anyDurations, anyDurations, (some, others) => {
        const merged = filled(some);
        merged.merge(filled(others));
        expect(merged).toEqual(filled([...some, ...others]));
        expect(merged.max).toBe(Math.max(...some, ...others));
        expect(merged.bars(60)).toEqual(filled([...some, ...others]).bars(60));
      }),
    );
  });

  it('are counted in adjacent bars, not too many, that contain all of them', () => {
    fc.assert(
      fc.property(anyDurations, fc.integer({ min: 1, max: 80 }), (values, most) => {
        const bars = filled(values).bars(most);
        expect(bars.length).toBeLessThanOrEqual(most);
        expect(bars.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(values.length);
        bars.forEach(({ fromMs, toMs }, i) => {
          expect(fromMs).toBeLessThan(toMs);
          if (i > 0) expect(bars[i - 1]!.toMs).toBe(fromMs);
        });
      }),
    );
  });

  it('are empty before the first', () => {
    const none = new Durations();
    expect([none.percentile(0.5), none.max, none.bars(10)]).toEqual([null, null, []]);
  });

  it('beyond days count as the longest bucket', () => {
    const durations = filled([1e300]);
    expect(durations.max).toBe(1e300);
    expect(durations.percentile(0.5)).toBeGreaterThan(2e8);
  });
});
