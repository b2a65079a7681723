import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  count,
  durationText,
  progressText,
  showProgress,
  type RunState,
} from '../../src/output/progress.js';

const start: RunState = {
  read: 0,
  delivered: 0,
  failed: 0,
  rejected: 0,
  waiting: 0,
  medianMs: null,
  share: undefined,
};

describe('the line about a run', () => {
  it.each<[Partial<RunState>, number, string]>([
    [{}, 0, '0 events  0/s'],
    [{ read: 1234567, delivered: 41150 }, 10, '1,234,567 events  4,115/s'],
    [{ read: 10, failed: 3 }, 1, '10 events  0/s  3 failed'],
    [{ read: 10, rejected: 1000 }, 1, '10 events  0/s  1,000 rejected'],
    [{ read: 10, delivered: 9, medianMs: 1.2 }, 1, '10 events  9/s  1.2 ms'],
    [{ share: 0 }, 5, '0 events  0/s  0%'],
    [{ share: 0.004 }, 5, '0 events  0/s  0%'],
    [{ share: 0.25 }, 6, '0 events  0/s  25%, 18 s left'],
    [{ share: 1 }, 6, '0 events  0/s  100%'],
    [
      { read: 12345, delivered: 12345, failed: 3, rejected: 2, medianMs: 0.5, share: 0.5 },
      3,
      '12,345 events  4,115/s  3 failed  2 rejected  0.5 ms  50%, 3 s left',
    ],
  ])('%j after %d s', (state, seconds, text) => {
    expect(progressText({ ...start, ...state }, seconds)).toBe(text);
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

describe('progress', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  it('is a line every few seconds where there is no terminal', async () => {
    vi.useFakeTimers();
    const stream = new PassThrough();
    let read = 0;
    const progress = await showProgress(stream, () => ({ ...start, read, delivered: read }));
    expect(textOf(stream)).toBe('');
    read = 100;
    vi.advanceTimersByTime(5_000);
    progress.say('something happened');
    read = 300;
    vi.advanceTimersByTime(5_000);
    expect(textOf(stream)).toBe('100 events  20/s\nsomething happened\n300 events  30/s\n');
    progress.stop();
    vi.advanceTimersByTime(60_000);
    expect(textOf(stream)).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is one live line on a terminal, with others above it', async () => {
    vi.stubEnv('CI', undefined);
    vi.stubEnv('TERM', 'xterm');
    vi.useFakeTimers();
    const stream = terminal();
    let read = 1;
    const progress = await showProgress(stream, () => ({ ...start, read }));
    expect(textOf(stream)).toContain('1 events');
    read = 2;
    vi.advanceTimersByTime(400);
    expect(textOf(stream)).toContain('2 events');
    progress.say('something happened');
    expect(textOf(stream)).toMatch(/^(?:<clear>)+something happened\n[^\n]*2 events[^\n]*$/);
    progress.stop();
    expect(textOf(stream)).toMatch(/^(?:<clear>)+/);
    vi.advanceTimersByTime(60_000);
    expect(textOf(stream)).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is plain lines on a terminal that claims to have no columns, where clearing never ends', async () => {
    vi.useFakeTimers();
    const stream = Object.assign(terminal(), { columns: 0 });
    const progress = await showProgress(stream, () => start);
    vi.advanceTimersByTime(5_000);
    progress.stop();
    expect(textOf(stream)).toBe('0 events  0/s\n');
  });
});

function terminal() {
  const stream = new PassThrough();
  return Object.assign(stream, {
    isTTY: true,
    columns: 80,
    cursorTo: () => true,
    moveCursor: () => true,
    clearLine: () => stream.write('<clear>'),
  });
}

/** What was written since it was last asked for. */
function textOf(stream: PassThrough): string {
  return (stream.read() as Buffer | null)?.toString() ?? '';
}
