import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { sleep } from '../../src/delivery/sleep.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** A clock whose timers are cut to whole milliseconds, as those of Node are. */
function cuttingClock(): { clock: VirtualClock; delays: number[] } {
  const clock = new VirtualClock();
  const delays: number[] = [];
  const after = clock.after.bind(clock);
  clock.after = (delayMs, callback) => {
    delays.push(delayMs);
    return after(Math.trunc(delayMs), callback);
  };
  return { clock, delays };
}

describe('sleeping', () => {
  it.each([
    ['a time that has passed', -5, []],
    ['one that is nearer than any timer', 0.4, []],
    ['one within a millisecond', 0.7, [1]],
    ['one between two milliseconds', 20.7, [20, 1]],
    ['a far one, in pieces', 150_000, [60_000, 60_000, 30_000]],
  ])('waits for %s', async (_, ms, expected) => {
    const { clock, delays } = cuttingClock();
    await clock.runUntil(sleep(ms, clock));
    expect(delays).toEqual(expected);
    expect(clock.elapsedMs).toBeGreaterThan(ms - 0.5);
  });

  it('ends at once when it is interrupted, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const asleep = sleep(1_000, clock, controller.signal);
    controller.abort();
    await asleep;
    expect(clock.waits).toEqual([]);
    await sleep(1_000, clock, controller.signal);
    expect(clock.elapsedMs).toBe(0);
  });

  it('does not end early by the clock of the system', async () => {
    const startedAt = performance.now();
    await sleep(3.6, systemClock);
    expect(performance.now() - startedAt).toBeGreaterThan(3.1);
  });

  it.each([-3_600_000, 3_600_000])(
    'takes as long when the time of day is set %i ms off meanwhile',
    async (ms) => {
      const clock = new VirtualClock();
      const asleep = sleep(90_000, clock);
      clock.set(ms);
      await clock.runUntil(asleep);
      expect(clock.elapsedMs).toBe(90_000);
    },
  );
});
