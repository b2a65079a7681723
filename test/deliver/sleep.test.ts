import { describe, expect, it } from 'vitest';
import { sleepUntil, steadyClock } from '../../src/deliver/sleep.js';
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

describe('sleeping until a moment', () => {
  it.each([
    ['a moment that has passed', -5, []],
    ['one that is nearer than any timer', 0.4, []],
    ['one within a millisecond', 0.7, [1]],
    ['one between two milliseconds', 20.7, [20, 1]],
    ['a far one, in pieces', 150_000, [60_000, 60_000, 30_000]],
  ])('waits for %s', async (_, ms, expected) => {
    const { clock, delays } = cuttingClock();
    const at = clock.now() + ms;
    await clock.runUntil(sleepUntil(at, clock));
    expect(delays).toEqual(expected);
    expect(clock.now()).toBeGreaterThan(at - 0.5);
  });

  it('ends at once when it is interrupted, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const asleep = sleepUntil(clock.now() + 1_000, clock, controller.signal);
    controller.abort();
    await asleep;
    expect(clock.waits).toEqual([]);
    await sleepUntil(clock.now() + 1_000, clock, controller.signal);
    expect(clock.elapsedMs).toBe(0);
  });

  it('does not come before its moment by the steady clock', async () => {
    const at = steadyClock.now() + 3.6;
    await sleepUntil(at, steadyClock);
    expect(steadyClock.now()).toBeGreaterThan(at - 0.5);
  });
});
