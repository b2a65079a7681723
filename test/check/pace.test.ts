import { describe, expect, it } from 'vitest';
import { maxInFlight, Pace } from '../../src/check/pace.js';
import { SessionEnded } from '../../src/check/session-ended.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const never = new AbortController().signal;

/** Lets all that is due without time happen. */
async function settle(): Promise<void> {
  for (let i = 0; i < 200; i++) await Promise.resolve();
}

/** How many of `count` turns were granted after each second. */
async function granted(rate: number, count: number, seconds: number): Promise<number[]> {
  const clock = new VirtualClock();
  const pace = new Pace(rate, clock, never);
  let turns = 0;
  for (let i = 0; i < count; i++) void pace.take().then(() => turns++);
  await settle();
  const counts = [turns];
  for (let second = 1; second <= seconds; second++) {
    for (let tenth = 0; tenth < 100; tenth++) {
      clock.advance(10);
      await settle();
    }
    counts.push(turns);
  }
  return counts;
}

describe('the pace of requests', () => {
  it('grants those of one second at once, and then the rate', async () => {
    expect(await granted(20, 100, 3)).toEqual([20, 40, 60, 80]);
  });

  it('grants one at once if the rate is below one per second', async () => {
    expect(await granted(0.5, 3, 4)).toEqual([1, 1, 2, 2, 3]);
  });

  it('lets a limited number be in flight, and hands each place on', async () => {
    const pace = new Pace(1_000, new VirtualClock(), never);
    const ends: (() => void)[] = [];
    const all = Array.from({ length: maxInFlight + 3 }, () =>
      pace.run(() => new Promise<void>((resolve) => ends.push(resolve))),
    );
    await settle();
    expect(ends).toHaveLength(maxInFlight);
    ends[0]!();
    await settle();
    expect(ends).toHaveLength(maxInFlight + 1);
    for (let i = 1; i < all.length; i++) {
      ends[i]!();
      await settle();
    }
    await Promise.all(all);
  });

  it('frees the place of work that failed', async () => {
    const pace = new Pace(1_000, new VirtualClock(), never);
    for (let i = 0; i <= maxInFlight; i++) {
      await expect(pace.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
  });

  it('ends every wait when the run is stopped', async () => {
    const stop = new AbortController();
    const pace = new Pace(1, new VirtualClock(), stop.signal);
    const turns = [pace.take(), pace.take(), pace.take()];
    const ended = Promise.allSettled(turns);
    await settle();
    stop.abort();
    const [first, ...rest] = await ended;
    expect(first?.status).toBe('fulfilled');
    for (const one of rest)
      expect(one).toMatchObject({ reason: expect.any(SessionEnded) as unknown });
  });
});
