import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseSpeed,
  ScheduleClock,
  type ReplayClockOptions,
} from '../../src/delivery/schedule-clock.js';
import { UsageError } from '../../src/errors.js';
import { seeded } from '../../src/fixtures/random.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const t0 = Date.parse('2026-01-01T00:00:00.000Z');

interface Replay {
  /** When each event went, in ms since the first. */
  readonly went: number[];
  readonly late: number[];
  readonly outOfOrder: number;
}

/** Replays events by their timestamps, in ms after the first; `sleep` is how long a wait takes. */
function replay(
  timestamps: readonly (number | undefined)[],
  options: Omit<ReplayClockOptions, 'clock'>,
  sleep = (ms: number) => ms,
  busyMs = 0,
): Replay {
  const clock = new VirtualClock();
  const late: number[] = [];
  const speed = new ScheduleClock({ ...options, clock, late: { add: (ms) => late.push(ms) } });
  const went = timestamps.map((at) => {
    const waitMs = speed.waitFor(at === undefined ? undefined : t0 + at);
    if (waitMs > 0) clock.advance(sleep(waitMs));
    speed.granted();
    const now = clock.elapsedMs;
    clock.advance(busyMs);
    return now;
  });
  return { went, late, outOfOrder: speed.outOfOrder };
}

describe('a replay at the speed of the events', () => {
  it.each<[string, Omit<ReplayClockOptions, 'clock'>, (number | undefined)[], number[]]>([
    ['at 1x as they happened', { factor: 1 }, [0, 10, 10, 500], [0, 10, 10, 500]],
    ['at 10x in a tenth of the time', { factor: 10 }, [0, 10, 10, 500], [0, 1, 1, 50]],
    ['at 0.5x in twice the time', { factor: 0.5 }, [0, 10, 500], [0, 20, 1_000]],
    ['at max at once', { factor: Infinity }, [0, 10, 500], [0, 0, 0]],
    ['at max at once, cap or not', { factor: Infinity, maxWaitMs: 5 }, [0, 10, 500], [0, 0, 0]],
    [
      'no later than the cap',
      { factor: 1, maxWaitMs: 100 },
      [0, 900, 950, 9_999],
      [0, 100, 150, 250],
    ],
    ['by a cap in real time', { factor: 10, maxWaitMs: 100 }, [0, 900, 9_000], [0, 90, 190]],
    [
      'by a cap that is above slow gaps',
      { factor: 0.5, maxWaitMs: 100 },
      [0, 40, 100],
      [0, 80, 180],
    ],
    ['all at once with a cap of nothing', { factor: 1, maxWaitMs: 0 }, [0, 40, 100], [0, 0, 0]],
    ['with older ones at once', { factor: 1 }, [0, 100, 40, 90, 120], [0, 100, 100, 100, 120]],
    [
      'with gaps after the newest only',
      { factor: 1, maxWaitMs: 50 },
      [0, 60, 0, 70],
      [0, 50, 50, 60],
    ],
    [
      'without timestamp with the one before',
      { factor: 1 },
      [0, 30, undefined, 50],
      [0, 30, 30, 50],
    ],
    ['from the first timestamp on', { factor: 1 }, [undefined, 30, 50], [0, 0, 20]],
  ])('lets events go %s', (_, options, timestamps, expected) => {
    expect(replay(timestamps, options).went).toEqual(expected);
  });

  it('counts the events that are older than one before them', () => {
    expect(replay([0, 100, 40, 90, 100, 120, 119], { factor: 1 }).outOfOrder).toBe(3);
  });

  it('does not drift over 10,000 events with timers that are late', () => {
    const random = seeded(1);
    const timestamps = Array.from({ length: 10_000 }, (_, i) => i * 7);
    const { went } = replay(timestamps, { factor: 3 }, (ms) => ms + 2 * random.next());
    went.forEach((at, i) => {
      expect(at).toBeGreaterThanOrEqual((i * 7) / 3 - 0.001);
      expect(at).toBeLessThan((i * 7) / 3 + 2.001);
    });
  });

  it('does not drift when timers are early', () => {
    const timestamps = Array.from({ length: 1_000 }, (_, i) => i * 7);
    const { went } = replay(timestamps, { factor: 3 }, Math.floor);
    expect(went.at(-1)).toBeCloseTo((999 * 7) / 3, -0.5);
  });

  it('catches up at once behind a stall, and drops nothing', () => {
    const timestamps = Array.from({ length: 100 }, (_, i) => i * 10);
    let stalled = false;
    const { went, late } = replay(timestamps, { factor: 1 }, (ms) => {
      if (stalled) return ms;
      stalled = true;
      return ms + 300;
    });
    expect(went).toHaveLength(100);
    expect(went.slice(1, 32)).toEqual(Array.from({ length: 31 }, () => 310));
    expect(went.slice(32)).toEqual(timestamps.slice(32));
    expect(late.slice(0, 4)).toEqual([0, 300, 290, 280]);
  });

  it('tells how late it is when the target cannot keep up', () => {
    const { late } = replay([0, 10, undefined, 5, 20], { factor: 1 }, undefined, 15);
    expect(late).toEqual([0, 5, 40]);
  });

  it('knows no lateness at max', () => {
    expect(replay([0, 10, 20], { factor: Infinity }, undefined, 15).late).toEqual([]);
  });

  it('lets every event go, in order, no sooner than the one before it', () => {
    const timestamps = fc.array(fc.option(fc.nat(100_000), { nil: undefined }));
    const factor = fc.constantFrom(0.5, 1, 3, 1_000, Infinity);
    const maxWaitMs = fc.option(fc.nat(500), { nil: undefined });
    fc.assert(
      fc.property(timestamps, factor, maxWaitMs, (times, by, cap) => {
        const { went } = replay(times, { factor: by, maxWaitMs: cap });
        expect(went).toHaveLength(times.length);
        for (let i = 1; i < went.length; i++) {
          const waited = went[i]! - went[i - 1]!;
          expect(waited).toBeGreaterThanOrEqual(0);
          expect(waited).toBeLessThanOrEqual((cap ?? Infinity) + 0.01);
        }
      }),
    );
  });
});

describe('a speed', () => {
  it.each([
    ['1x', 1],
    ['10x', 10],
    ['0.5x', 0.5],
    ['max', Infinity],
  ])('is read from %s', (text, factor) => {
    expect(parseSpeed(text)).toBe(factor);
  });

  it.each(['', 'x', '1', '0x', '0.0x', '-1x', '1e3x', 'MAX', '1x ', '.5x', `${'9'.repeat(400)}x`])(
    'is not read from %j',
    (text) => {
      expect(() => parseSpeed(text)).toThrow(UsageError);
      expect(() => parseSpeed(text)).toThrow('is not a valid speed; use 1x, 10x, 0.5x or max.');
    },
  );
});
