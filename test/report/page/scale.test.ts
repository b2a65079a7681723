import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearAxis, logTicks, timeTicks } from '../../../src/report/page/scale.js';

const labels = (ticks: readonly { label: string }[]) => ticks.map(({ label }) => label);

describe('a linear axis', () => {
  it.each([
    [0.3, ['0', '0.1', '0.2', '0.3']],
    [7, ['0', '2', '4', '6', '8']],
    [100, ['0', '50', '100']],
    [2_345, ['0', '1,000', '2,000', '3,000']],
    [1_234_567, ['0', '500k', '1M', '1.5M']],
  ])('up to %d has the ticks %j', (most, expected) => {
    expect(labels(linearAxis(most).ticks)).toEqual(expected);
  });

  it('reaches its highest value, with a few ticks', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (most) => {
        const { end, ticks } = linearAxis(most);
        expect(end).toBeGreaterThanOrEqual(most * (1 - 1e-6));
        expect(end).toBeLessThanOrEqual(most * 2.6);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(6);
      }),
    );
  });
});

describe('a logarithmic axis', () => {
  it.each([
    [8, 250, ['10 ms', '20 ms', '50 ms', '100 ms', '200 ms']],
    [0.5, 6_000, ['1 ms', '10 ms', '100 ms', '1 s']],
    [0.01, 1e8, ['0.01 ms', '100 s', '100,000 s']],
  ])('from %d to %d ms has the ticks %j', (from, to, expected) => {
    expect(labels(logTicks(from, to))).toEqual(expect.arrayContaining(expected));
  });

  it('has all its ticks within it', () => {
    const duration = fc.double({ min: 0.01, max: 1e8, noNaN: true });
    fc.assert(
      fc.property(duration, fc.double({ min: 4, max: 1e6, noNaN: true }), (from, factor) => {
        const ticks = logTicks(from, from * factor);
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.every(({ at }) => at >= -1e-9 && at <= 1 + 1e-9)).toBe(true);
      }),
    );
  });
});

describe('a time axis', () => {
  const from = Date.parse('2026-11-20T22:29:50.000Z');

  it.each([
    [100, '22:29:50.02'],
    [40_000, '22:30:00'],
    [3_600_000, '22:30'],
    [86_400_000, '21 Nov'],
    [90 * 86_400_000, '3 Dec'],
    [20 * 365 * 86_400_000, '2029-10'],
  ])('of %d ms has a tick at %s', (span, label) => {
    expect(labels(timeTicks(from, from + span, 7))).toContain(label);
  });

  it('has few ticks, all within it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 120, max: 1e14 }), (span) => {
        const ticks = timeTicks(from, from + span, 4);
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(ticks.every(({ at }) => at >= 0 && at <= 1)).toBe(true);
      }),
    );
  });
});
