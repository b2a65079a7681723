import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from '../../src/delivery/circuit-breaker.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const hour = 3_600_000;
/** A retry window below a minute. */
const short = 30_000;

function breakerWith(concurrency = 64, windowMs = 4 * hour) {
  const clock = new VirtualClock();
  const told: boolean[] = [];
  const breaker = new CircuitBreaker({
    ...{ clock, concurrency, windowMs },
    onChange: (isDown) => told.push(isDown),
  });
  const fail = (times: number): void => {
    for (let i = 0; i < times; i++) breaker.note('retry');
  };
  return { clock, told, breaker, fail };
}

describe('a breaker', () => {
  it('opens at the 16th failure in a row, whatever the concurrency', () => {
    for (const concurrency of [1, 64, 1_000]) {
      const { breaker, fail, told } = breakerWith(concurrency);
      fail(15);
      expect([breaker.limit, breaker.waitMs(), told]).toEqual([1, 0, []]);
      fail(1);
      expect([breaker.limit, breaker.waitMs(), told]).toEqual([1, 125, [true]]);
    }
  });

  it('lets 16 requests go at once, and all that may when one was answered within the last second', () => {
    const { breaker, clock } = breakerWith();
    expect(breaker.limit).toBe(16);
    breaker.note('delivered');
    expect(breaker.limit).toBe(64);
    clock.advance(999);
    expect(breaker.limit).toBe(64);
    clock.advance(1);
    expect(breaker.limit).toBe(16);
  });

  it('replaces no request that has failed by another one, so that 16 fail in all', () => {
    const { breaker, fail } = breakerWith();
    const limits = Array.from({ length: 15 }, () => {
      fail(1);
      return breaker.limit;
    });
    expect(limits).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('says why it opened: by the last failure', () => {
    const reasons: unknown[] = [];
    const breaker = new CircuitBreaker({
      ...{ clock: new VirtualClock(), concurrency: 64, windowMs: 4 * hour },
      onChange: (...change) => reasons.push(change),
    });
    for (let i = 1; i <= 16; i++) {
      breaker.note('retry', { status: i < 16 ? null : 503, error: i < 16 ? 'dns' : null });
    }
    expect(reasons).toEqual([[true, { status: 503, error: null }]]);
  });

  it.each(['delivered', 'failed'] as const)(
    'takes %s as a response: the row is broken',
    (verdict) => {
      const { breaker, fail, told } = breakerWith();
      for (let i = 0; i < 10; i++) {
        fail(15);
        breaker.note(verdict);
      }
      expect([breaker.limit, breaker.waitMs(), told]).toEqual([64, 0, []]);
    },
  );

  it.each([
    ['the first seconds', 0, 125],
    ['12.5 s', 12_500, 125],
    ['100 s', 100_000, 1_000],
    ['50 min', 3_000_000, 30_000],
    ['10 h', 10 * hour, 30_000],
  ])('probes again after a hundredth of the outage: at %s', (_, downForMs, waitMs) => {
    const { breaker, fail, clock } = breakerWith();
    fail(16);
    clock.advance(Math.max(125, downForMs));
    expect([breaker.waitMs(), breaker.limit]).toEqual([0, 1]);
    fail(1);
    expect(breaker.waitMs()).toBe(waitMs);
  });

  it('takes a probe as due that is due in less than half a millisecond', () => {
    const { breaker, fail, clock } = breakerWith();
    clock.advance(0.3);
    fail(16);
    clock.advance(124.4);
    expect(breaker.waitMs()).toBe(1);
    clock.advance(0.2);
    expect(breaker.waitMs()).toBe(0);
  });

  it('sends few probes in a long outage, one at a time', () => {
    const { breaker, fail, clock } = breakerWith();
    fail(16);
    let probes = 0;
    for (; breaker.downForMs < 10 * hour; probes++) {
      clock.advance(breaker.waitMs());
      expect([breaker.waitMs(), breaker.limit]).toEqual([0, 1]);
      fail(1);
    }
    expect(probes).toBeGreaterThan(1_500);
    expect(probes).toBeLessThan(1_800);
  });

  it.each([-hour, hour, 5 * hour])('probes as soon when the time of day is set %i ms off', (ms) => {
    const { breaker, fail, clock } = breakerWith();
    fail(16);
    clock.advance(25);
    clock.set(ms);
    expect([breaker.waitMs(), breaker.limit]).toEqual([100, 1]);
  });

  it('takes what was in flight when it opened for no probes', () => {
    const { breaker, fail, clock } = breakerWith();
    fail(16);
    clock.advance(100);
    fail(15);
    expect(breaker.waitMs()).toBe(25);
  });

  it.each(['delivered', 'failed'] as const)(
    'closes when a probe is answered (%s), and ramps up from one',
    (verdict) => {
      const { breaker, fail, clock, told } = breakerWith(20);
      fail(16);
      clock.advance(125);
      const limits = Array.from({ length: 6 }, () => {
        breaker.note(verdict);
        return breaker.limit;
      });
      expect([limits, breaker.waitMs(), told]).toEqual([[2, 4, 8, 16, 20, 20], 0, [true, false]]);
    },
  );

  it('begins anew at the next fall: 16 failures, and 125 ms', () => {
    const { breaker, fail, clock, told } = breakerWith();
    fail(16);
    for (let i = 0; i < 4; i++) {
      clock.advance(1_000);
      fail(1);
    }
    breaker.note('delivered');
    fail(15);
    expect(breaker.waitMs()).toBe(0);
    fail(1);
    expect([breaker.waitMs(), told]).toEqual([125, [true, false, true]]);
  });

  it('holds back as long as nothing responds', () => {
    const { breaker, fail, clock } = breakerWith();
    fail(16);
    for (let day = 0; day < 10; day++) {
      clock.advance(24 * hour);
      expect([breaker.limit, breaker.waitMs()]).toEqual([1, 0]);
      fail(1);
      expect(breaker.waitMs()).toBeGreaterThan(0);
    }
  });

  it('with a short window closes by itself when that has ended since the first failure, and stays so', () => {
    const { breaker, fail, clock } = breakerWith(64, short);
    fail(1);
    clock.advance(1_000);
    fail(15);
    clock.advance(short - 1_000);
    expect([breaker.limit, breaker.waitMs()]).toEqual([1, 0]);
    fail(1);
    expect(breaker.waitMs()).toBeGreaterThan(0);
    clock.advance(1);
    expect([breaker.waitMs(), breaker.limit]).toEqual([0, 64]);
    fail(200);
    expect([breaker.waitMs(), breaker.limit]).toEqual([0, 64]);
  });

  it('tells a response after that window, too, and opens at the next fall', () => {
    const { breaker, fail, clock, told } = breakerWith(64, short);
    fail(16);
    clock.advance(short + 1);
    fail(16);
    breaker.note('delivered');
    expect([told, breaker.limit]).toEqual([[true, false], 2]);
    fail(16);
    expect([told, breaker.limit, breaker.waitMs()]).toEqual([[true, false, true], 1, 125]);
  });

  it('knows for how long it is down: since the first of the failures', () => {
    const { breaker, fail, clock } = breakerWith();
    fail(1);
    clock.advance(30);
    fail(15);
    clock.advance(1_000);
    expect(breaker.downForMs).toBe(1_030);
  });

  it('never opens where nothing is retried', () => {
    const { breaker, fail, clock } = breakerWith(64, 0);
    fail(32);
    clock.advance(1);
    fail(100);
    expect([breaker.waitMs(), breaker.limit]).toEqual([0, 64]);
  });
});

describe('a breaker of an endpoint that may respond', () => {
  const windowMs = 4 * 60 * 60 * 1000;

  it('wants three events that were not attempted as probes in ten hours', () => {
    const { breaker, clock, fail } = breakerWith(64, windowMs);
    fail(16);
    let fresh = 0;
    for (let minutes = 0; minutes < 10 * 60 * 60; minutes++) {
      clock.advance(1_000);
      if (!breaker.wantsFreshProbe) continue;
      fresh++;
      breaker.noteFreshProbe();
      expect(breaker.wantsFreshProbe).toBe(false);
    }
    expect(fresh).toBe(3);
  });

  it.each([
    ['refused', false],
    ['dns', false],
    ['tls', false],
    ['private_address', false],
    ['timeout', true],
    ['reset', true],
    [null, true],
  ] as const)('wants them after %s: %s', (error, isWanted) => {
    const { breaker, clock } = breakerWith(64, windowMs);
    breaker.open(0, { status: null, error });
    clock.advance(60_000);
    expect(breaker.wantsFreshProbe).toBe(isWanted);
  });
});

describe('a breaker that another one has opened', () => {
  it.each([
    [0, short],
    [short - 1, 1],
    [short, 0],
    [-short, short],
  ])('%i ms ago holds requests back for %i ms of a short window', (agoMs, holdsForMs) => {
    const { breaker, clock, told } = breakerWith(64, short);
    expect(breaker.open(agoMs)).toBe(true);
    clock.advance(holdsForMs);
    expect([breaker.isDown, breaker.limit]).toEqual([true, 1]);
    clock.advance(1);
    expect([breaker.isDown, breaker.limit, breaker.waitMs(), told]).toEqual([false, 64, 0, []]);
  });

  it('longer ago than the window holds nothing back, and tells the first response', () => {
    const { breaker, fail, told } = breakerWith(64, short);
    breaker.open(short + 1);
    fail(200);
    expect([breaker.isDown, breaker.limit, breaker.waitMs(), told]).toEqual([false, 64, 0, []]);
    breaker.note('failed');
    expect(told).toEqual([false]);
  });

  it('keeps the earlier of two times', () => {
    const { breaker } = breakerWith(64, short);
    breaker.open(1_000);
    expect(breaker.open(500)).toBe(false);
    expect(breaker.downForMs).toBe(1_000);
    expect(breaker.open(short + 1)).toBe(false);
    expect([breaker.downForMs, breaker.isDown]).toEqual([short + 1, false]);
  });

  it('and closed again opens by its own failures, from now on', () => {
    const { breaker, fail, told } = breakerWith(64, short);
    breaker.open(short + 1);
    expect(breaker.close()).toBe(true);
    fail(16);
    expect([breaker.isDown, breaker.downForMs, told]).toEqual([true, 0, [true]]);
  });
});
