import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../src/fixtures/random.js';
import { RateLimiter } from '../../src/delivery/rate-limiter.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

interface Troubles {
  /** Passes after each event. */
  readonly busyMs?: number;
  /** How late a timer may be, at random. */
  readonly lateMs?: number;
  /** Every so many milliseconds, on average, everything stands still for 30 to 200 ms. */
  readonly stallEveryMs?: number;
  /** No stall from then on. */
  readonly calmFromMs?: number;
  readonly seed?: number;
}

/** When each event goes, in ms since the first, for so long. */
function departures(perSecond: number, forMs: number, problems: Troubles = {}): number[] {
  const {
    busyMs = 0,
    lateMs = 0,
    stallEveryMs = Infinity,
    calmFromMs = forMs,
    seed = 1,
  } = problems;
  const random = seeded(seed);
  const clock = new VirtualClock();
  const rateLimiter = new RateLimiter(perSecond, clock);
  const times: number[] = [];
  let nextStallAt = stallEveryMs * random.next();
  while (clock.elapsedMs < forMs) {
    const waitMs = rateLimiter.turn();
    if (waitMs > 0) {
      // With timers that are never on time, a wait takes a whole millisecond at least.
      clock.advance(lateMs === 0 ? waitMs : Math.max(1, waitMs) + lateMs * random.next());
      if (clock.elapsedMs > nextStallAt && clock.elapsedMs < calmFromMs) {
        clock.advance(30 + 170 * random.next());
        nextStallAt = clock.elapsedMs + stallEveryMs * (0.5 + random.next());
      }
    }
    times.push(clock.elapsedMs);
    clock.advance(busyMs);
  }
  return times.filter((at) => at < forMs);
}

/** Stalls that ten seconds can make up for: one at their very end they cannot. */
function stalls(seed: number): Troubles {
  return { lateMs: 2, stallEveryMs: 4_000, calmFromMs: 8_000, seed };
}

/** The most that went in any window of so many milliseconds. */
function maxIn(windowMs: number, times: readonly number[]): number {
  let most = 0;
  let start = 0;
  times.forEach((at, end) => {
    while (at - times[start]! >= windowMs) start++;
    most = Math.max(most, end - start + 1);
  });
  return most;
}

describe('a pace', () => {
  it.each([
    ['1 an hour', 1 / 3600, 3_600_000],
    ['90 a minute', 1.5, 2_000 / 3],
    ['10 a second', 10, 100],
    ['500 a second', 500, 2],
    ['20,000 a second', 20_000, 0.05],
  ])('of %s keeps its distance, and lets the first go at once', (_, perSecond, intervalMs) => {
    const times = departures(perSecond, 19.5 * intervalMs);
    expect(times).toHaveLength(20);
    times.forEach((at, i) => expect(at).toBeCloseTo(i * intervalMs, 3));
  });

  it.each([
    [10, 2],
    [500, 2],
    [2_000, 2],
    [5_000, 8],
    [20_000, 2],
    [20_000, 8],
  ])('of %i a second does not drift when every timer is up to %i ms late', (perSecond, lateMs) => {
    const { length } = departures(perSecond, 10_000, { lateMs });
    expect(length).toBeGreaterThan(perSecond * 10 * 0.995 - 1);
    expect(length).toBeLessThanOrEqual(perSecond * 10 + 1);
  });

  it.each([500, 2_000, 20_000])(
    'of %i a second makes up for stalls: 10 seconds are within 2 percent',
    (perSecond) => {
      for (let seed = 1; seed <= 20; seed++) {
        const { length } = departures(perSecond, 10_000, stalls(seed));
        expect(length).toBeGreaterThan(perSecond * 10 * 0.98);
        expect(length).toBeLessThanOrEqual(perSecond * 10 + 1);
      }
    },
  );

  it.each([500, 1_000, 2_000, 20_000])(
    'of %i a second never lets a twentieth more go in a second, a tenth in 100 ms',
    (perSecond) => {
      for (let seed = 1; seed <= 20; seed++) {
        const times = departures(perSecond, 10_000, { lateMs: 2, stallEveryMs: 700, seed });
        expect(maxIn(1_000, times)).toBeLessThanOrEqual(perSecond * 1.05 + 1);
        expect(maxIn(100, times)).toBeLessThanOrEqual(perSecond * 0.11);
      }
    },
  );

  it('never lets more go than that and one, whatever the rate and however things are held up', () => {
    const problems = fc.record({
      busyMs: fc.constantFrom(0, 0, 0.3, 7),
      lateMs: fc.integer({ min: 0, max: 20 }),
      stallEveryMs: fc.integer({ min: 100, max: 2_000 }),
      seed: fc.integer({ min: 1 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), problems, (perSecond, held) => {
        const times = departures(perSecond, 3_000, held);
        expect(maxIn(1_000, times)).toBeLessThanOrEqual(Math.ceil(perSecond * 1.05) + 1);
        expect(maxIn(100, times)).toBeLessThanOrEqual(Math.ceil(perSecond * 0.11) + 1);
      }),
    );
  });

  it.each([
    [1 / 3600, 1],
    [10, 1],
    [1_000, 21],
  ])('of %d a second lets no crowd go behind a long pause', (perSecond, most) => {
    const clock = new VirtualClock();
    const rateLimiter = new RateLimiter(perSecond, clock);
    rateLimiter.turn();
    clock.advance(7_200_000);
    let atOnce = 0;
    while (rateLimiter.turn() === 0) atOnce++;
    expect(atOnce).toBe(most);
  });

  it('takes rates that no machine can keep', () => {
    const rateLimiter = new RateLimiter(1e12, { monotonic: () => 0 });
    expect(rateLimiter.turn()).toBe(0);
    expect(rateLimiter.turn()).toBeLessThan(1);
  });

  it('wants no more than a second of a long pause back', () => {
    const clock = new VirtualClock();
    const rateLimiter = new RateLimiter(100, clock);
    rateLimiter.turn();
    clock.advance(60_000);
    const from = clock.elapsedMs;
    for (let i = 0; i < 6_000; i++) clock.advance(rateLimiter.turn());
    expect(clock.elapsedMs - from).toBeCloseTo(59_000 - 10, -2);
  });
});
