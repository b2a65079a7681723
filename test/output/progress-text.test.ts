import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count, durationText } from '../../src/output/numbers.js';
import { progressText, type RunRates, type RunState } from '../../src/output/progress-text.js';
import { runState } from './run-state.js';

const still: RunRates = { sent: 0, handled: undefined };
const tenPerSecond: RunRates = { sent: 10, handled: 10 };

describe('the line about a run', () => {
  it.each<[Partial<RunState>, RunRates, string]>([
    [{}, still, '0 events  0/s'],
    [{ ended: 1 }, still, '1 event  0/s'],
    [{ ended: 1234567 }, { sent: 4115, handled: 5000 }, '1,234,567 events  4,115/s'],
    [{ ended: 10 }, { sent: 0.44, handled: 0.44 }, '10 events  0.4/s'],
    [{ ended: 10 }, { sent: 9.97, handled: 9.97 }, '10 events  10/s'],
    [{ ended: 10, failed: 3 }, still, '10 events  0/s  3 failed'],
    [{ ended: 10, rejected: 1000 }, still, '10 events  0/s  1,000 rejected'],
    [{ ended: 10, medianMs: 1.2 }, still, '10 events  0/s  1.20 ms'],
    [{ left: 100 }, still, '0 events  0/s  0%'],
    [{ ended: 50, left: 950 }, tenPerSecond, '50 events  10/s  5%, 1 min 35 s left'],
    [{ ended: 50, endedBefore: 450, left: 500 }, tenPerSecond, '50 events  10/s  50%, 50 s left'],
    [{ ended: 999, left: 1 }, tenPerSecond, '999 events  10/s  99%, 0 s left'],
    [{ ended: 99_999, left: 1 }, still, '99,999 events  0/s  99%'],
    [{ ended: 9, left: 0 }, still, '9 events  0/s'],
    [{ ended: 9, workers: 3, left: 91 }, still, '9 events  0/s  3 workers  9%'],
    [{ ended: 9, workers: 1 }, still, '9 events  0/s  1 worker'],
    [{ ended: 9, workers: 0 }, still, '9 events  0/s  no workers'],
    [{ item: 'request', ended: 1 }, still, '1 request  0/s'],
  ])('%j at %j', (state, rates, text) => {
    expect(progressText({ ...runState, ...state }, rates)).toBe(text);
  });

  it('says when the next attempt is, if nothing else is left or nothing happens', () => {
    const waiting = { ...runState, ended: 88, waiting: 12, left: 12, nextRetryMs: 45_000 };
    const next = '12 waiting, next attempt in 45 s';
    expect(progressText(waiting, tenPerSecond)).toBe(`88 events  10/s  ${next}`);
    expect(progressText({ ...waiting, left: 32 }, still)).toBe(`88 events  0/s  ${next}  73%`);
    expect(progressText({ ...waiting, nextRetryMs: 900 }, still)).not.toContain('next attempt');
    expect(progressText({ ...waiting, left: 32 }, tenPerSecond)).toBe(
      '88 events  10/s  12 waiting  73%, at least 2 s left',
    );
    expect(progressText({ ...waiting, left: undefined }, tenPerSecond)).toBe(
      '88 events  10/s  12 waiting',
    );
  });

  it('says why events wait, if there is room for it', () => {
    const state = { ...runState, waiting: 1_000, left: 1_000, nextRetryMs: 45_000 };
    const noHost = { ...state, retryCode: 'dns' };
    const at = (columns: number) => progressText(noHost, still, columns);
    expect(at(80)).toBe('0 events  0/s  1,000 waiting (host name not found), next attempt in 45 s');
    expect(at(50)).toBe('0 events  0/s  1,000 waiting, next attempt in 45 s');
    expect(progressText({ ...state, retryCode: 'status_503' }, still)).toContain(' (HTTP 503), ');
    const held = { ...noHost, waiting: 10_000, left: 50_000 };
    expect(progressText(held, still)).toContain('(host name not found; reading paused), next');
  });

  it('says that reading is paused while too many events wait', () => {
    const held = { ...runState, ended: 88, waiting: 10_000, left: 50_000, nextRetryMs: 45_000 };
    const paused = '10,000 waiting (reading paused)';
    expect(progressText(held, still)).toContain(`${paused}, next attempt in 45 s  0%`);
    expect(progressText({ ...held, left: undefined }, still)).toContain(paused);
    expect(progressText(held, tenPerSecond)).not.toContain('paused');
    expect(progressText({ ...held, left: 10_000 }, still)).not.toContain('paused');
    expect(progressText({ ...held, waiting: 9_999 }, still)).not.toContain('paused');
  });

  it('has no time left while events only begin to wait, as when the URL is down', () => {
    const down = { ...runState, waiting: 71, left: 1_000 };
    const rates = { sent: 0, handled: 14 };
    expect(progressText(down, rates)).toBe('0 events  0/s  71 waiting  0%');
    expect(progressText({ ...down, waiting: 0 }, rates)).toContain('0%, 1 min 11 s left');
  });

  it('has the time of a schedule, and none where the schedule is unknown', () => {
    const state = { ...runState, ended: 50, left: 50 };
    expect(progressText({ ...state, scheduleMs: 3_000 }, tenPerSecond)).toContain('50%, 3 s left');
    expect(progressText({ ...state, scheduleMs: null }, tenPerSecond)).toMatch(/ {2}50%$/);
  });

  it('drops the least important parts where the terminal is narrow', () => {
    const state = { ...runState, ended: 12_345, failed: 3, rejected: 2, waiting: 4, left: 9_000 };
    const full = { ...state, medianMs: 1.5, nextRetryMs: 1_000 };
    const at = (columns: number) => progressText(full, { sent: 4_115, handled: 4_115 }, columns);
    expect(at(100)).toBe(
      '12,345 events  4,115/s  3 failed  2 rejected  1.50 ms  4 waiting  57%, at least 2 s left',
    );
    expect(at(80)).toBe(
      '12,345 events  4,115/s  3 failed  2 rejected  4 waiting  57%, at least 2 s left',
    );
    expect(at(50)).toBe('12,345 events  4 waiting  57%, at least 2 s left');
    expect(at(40)).toBe('4 waiting  57%, at least 2 s left');
    expect(at(12)).toBe('4 waiting');
  });

  it('is never longer than the terminal is wide, and never says 100% while something is left', () => {
    const number = fc.nat(1_000_000_000);
    const states = fc.record({
      ...{ ended: number, sent: number, failed: number, rejected: number, waiting: number },
      ...{ endedBefore: number, left: number, nextRetryMs: number },
      medianMs: fc.option(fc.double({ min: 0, max: 1e7, noNaN: true })),
    });
    fc.assert(
      fc.property(states, fc.nat(130), fc.double({ min: 0, max: 1e6, noNaN: true }), (...args) => {
        const [state, columns, rate] = args;
        const text = progressText(state, { sent: rate, handled: rate || undefined }, columns);
        expect(text.length).toBeLessThanOrEqual(columns);
        expect(text).not.toContain('100%');
      }),
    );
  });
});

it.each([
  [0, '0 s'],
  [59.4, '59 s'],
  [59.5, '1 min 0 s'],
  [200, '3 min 20 s'],
  [3599.6, '1 h 0 min'],
  [7500, '2 h 5 min'],
  [100_000, '27 h 46 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [12345678, '12,345,678'],
])('%d is written %s', (value, text) => {
  expect(count(value)).toBe(text);
});

it('counts are written as English readers know them', () => {
  const numbers = fc.oneof(
    fc.maxSafeNat(),
    fc.nat().map((n) => n / 1_000),
    fc.nat().map((n) => n / 10),
  );
  fc.assert(
    fc.property(numbers, (value) => {
      expect(count(value)).toBe(value.toLocaleString('en-US'));
    }),
  );
});
