import { describe, expect, it } from 'vitest';
import { RecentRate } from '../../src/output/recent-rate.js';

/** A sample every 200 ms of a counter that is `countAt` seconds. */
function measured(seconds: number, countAt: (second: number) => number): RecentRate {
  const rate = new RecentRate();
  for (let ms = 0; ms <= seconds * 1000; ms += 200) rate.note(ms, Math.floor(countAt(ms / 1000)));
  return rate;
}

describe('a recent rate', () => {
  it('is 0 until there is something to measure', () => {
    expect(measured(0.4, (s) => 100 * s).perSecond()).toBe(0);
    expect(measured(0.4, (s) => 100 * s).forEstimate()).toBeUndefined();
    expect(measured(1, (s) => 100 * s).perSecond()).toBeCloseTo(100);
  });

  it('is that of the last seconds, not the mean', () => {
    const slower = measured(20, (s) => (s < 10 ? 1_000 * s : 10_000 + 10 * (s - 10)));
    expect(slower.perSecond()).toBeCloseTo(10);
    expect(slower.forEstimate()).toBeCloseTo(10);
  });

  it('is measured over a longer time for an estimate if little happens', () => {
    const slow = measured(60, (s) => s / 4);
    expect(slow.forEstimate()).toBeCloseTo(0.25);
  });

  it('is unknown for an estimate when nothing has happened for seconds', () => {
    const stuck = measured(30, (s) => Math.min(s, 15));
    expect(stuck.perSecond()).toBe(0);
    expect(stuck.forEstimate()).toBeUndefined();
  });

  it('is at a limit if it differs by an event or two, but not by a tenth', () => {
    expect(measured(5, (s) => 10 * s + 1).isAt(10)).toBe(true);
    expect(measured(5, (s) => 8 * s).isAt(10)).toBe(false);
    expect(measured(8, (s) => 950 * s).isAt(1_000)).toBe(true);
    expect(measured(8, (s) => 500 * s).isAt(1_000)).toBe(false);
  });

  it('keeps no more than a minute of samples', () => {
    const rate = measured(600, (s) => (s < 300 ? 1_000 * s : 300_000 + (s - 300) / 10));
    expect(rate.forEstimate()).toBeCloseTo(0.1, 1);
  });
});
