import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ramp } from '../../../src/serve/forward/ramp.js';
import { runs } from '../../helpers/property-runs.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

const hourMs = 3_600_000;
/** A sender that is busy or stalled for this long before each event. */
const delays = (max: number): fc.Arbitrary<number[]> =>
  fc.array(fc.double({ min: 0, max, noNaN: true }), { minLength: 1, maxLength: 50 });

/** Sends as fast as the ramp allows for this long. Returns how many in each second. */
function send(ramp: Ramp, clock: VirtualClock, forMs: number, delaysMs = [0]): number[] {
  const from = clock.monotonic();
  const perSecond = Array.from({ length: Math.ceil(forMs / 1_000) }, () => 0);
  for (let sent = 0; !ramp.isOver; sent++) {
    const readyAt = clock.monotonic() + delaysMs[sent % delaysMs.length]!;
    const at = Math.max(readyAt, ramp.nextAt);
    if (at >= from + forMs) break;
    clock.advance(at - clock.monotonic());
    ramp.count();
    perSecond[Math.floor((at - from) / 1_000)]!++;
  }
  return perSecond;
}

const start = (): { ramp: Ramp; clock: VirtualClock } => {
  const clock = new VirtualClock();
  return { ramp: new Ramp(clock), clock };
};

describe('a ramp', () => {
  it('allows four times as much in each second as in the one before', () => {
    const { ramp, clock } = start();
    const perSecond = send(ramp, clock, 4_000);
    for (const [second, count] of [108, 433, 1_731, 6_925].entries()) {
      expect(Math.abs(perSecond[second]! - count)).toBeLessThan(count / 20);
    }
  });

  it('ends after five seconds of use', () => {
    const { ramp, clock } = start();
    send(ramp, clock, hourMs);
    expect(ramp.isOver).toBe(true);
    expect(clock.elapsedMs).toBeGreaterThanOrEqual(5_000);
    expect(clock.elapsedMs).toBeLessThan(5_100);
  });

  it('allows an event at once when it begins', () => {
    const { ramp, clock } = start();
    expect(ramp.nextAt).toBeLessThanOrEqual(clock.monotonic());
  });

  it('spreads events over its first second, however the sender stalls', () => {
    fc.assert(
      fc.property(delays(300), (delaysMs) => {
        const { ramp, clock } = start();
        for (let tenth = 1; tenth <= 10; tenth++) {
          const [sent] = send(ramp, clock, 100, delaysMs);
          // The rate at the end of that time, and what a late timer may catch up.
          expect(sent).toBeLessThanOrEqual(2 + 0.15 * 50 * 4 ** (tenth / 10));
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('always ends, however slow the sender is', () => {
    fc.assert(
      fc.property(delays(1_000), (delaysMs) => {
        const { ramp, clock } = start();
        send(ramp, clock, hourMs, [...delaysMs, 1]);
        expect(ramp.isOver).toBe(true);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('does not rise while nothing is sent', () => {
    const { ramp, clock } = start();
    send(ramp, clock, 1_000);
    clock.advance(hourMs);
    const [next] = send(ramp, clock, 1_000);
    expect(next).toBeLessThan(600);
  });
});
