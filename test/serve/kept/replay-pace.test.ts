import { describe, expect, it } from 'vitest';
import { ReplayPace } from '../../../src/serve/kept/replay-pace.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

/** What replays may do after each second, in which so many events came, so many were replayed, and the loop was so busy. */
function paced(seconds: readonly (readonly [live: number, replayed: number, busy: number])[]) {
  const clock = new VirtualClock();
  let utilization = 0;
  const pace = new ReplayPace({ clock, utilization: () => utilization });
  return seconds.map(([live, replayed, busy]) => {
    pace.addLive(live);
    pace.addReplayed(replayed);
    utilization = busy;
    clock.advance(1_000);
    return pace.perSecond;
  });
}

describe('the pace of replays', () => {
  it('is not limited without live events, or with few of them', () => {
    expect(
      paced([
        [0, 9_000, 1],
        [10, 9_000, 1],
        [450, 9_000, 1],
      ]),
    ).toEqual([Infinity, Infinity, Infinity]);
  });

  it('is not limited while the process has time for both', () => {
    expect(paced([[2_000, 5_000, 0.6]])).toEqual([Infinity]);
  });

  it('falls to a sixth of the live events of a busy process, and rises when it is busy no more', () => {
    const [first, second, ...rest] = paced([
      [6_000, 4_000, 0.9],
      [6_000, 2_000, 0.9],
      [6_000, 1_000, 0.9],
      [6_000, 1_000, 0.5],
      [0, 1_000, 0.5],
    ]);
    expect([first, second]).toEqual([2_800, 1_400]);
    expect(rest).toEqual([1_000, 1_250, Infinity]);
  });

  it('lets a fifth of a second of what is sent wait, within limits', () => {
    const clock = new VirtualClock();
    const pace = new ReplayPace({ clock, utilization: () => 1 });
    const waiting = [0, 100, 5_000, 90_000].map((replayed) => {
      pace.addReplayed(replayed);
      clock.advance(1_000);
      return pace.maxWaiting;
    });
    expect(waiting).toEqual([256, 256, 1_000, 2_048]);
  });

  it('lets a fifth of a second wait as a whole number of events', () => {
    const clock = new VirtualClock();
    const pace = new ReplayPace({ clock, utilization: () => 1 });
    pace.addReplayed(3_000);
    clock.advance(1_001);
    expect(pace.maxWaiting).toBe(599);
  });

  it('is that of all replays together, also where one queues much at once', () => {
    const clock = new VirtualClock();
    const pace = new ReplayPace({ clock, utilization: () => 1 });
    pace.addReplayed(600);
    expect(pace.waitMs).toBe(0);
    pace.addLive(600);
    clock.advance(1_000);
    expect(pace.perSecond).toBe(420);
    pace.addReplayed(210);
    pace.addReplayed(210);
    expect(pace.waitMs).toBe(1_000);
    clock.advance(200);
    expect(pace.waitMs).toBe(800);
    // Nobody else needs the time.
    clock.advance(400);
    expect(pace.waitMs).toBe(0);
  });

  it('rises for what is queued already, too', () => {
    const clock = new VirtualClock();
    let utilization = 1;
    const pace = new ReplayPace({ clock, utilization: () => utilization });
    const takeLive = (): void => {
      pace.addLive(75);
      clock.advance(250);
    };
    takeLive();
    expect(pace.perSecond).toBe(50);
    pace.addReplayed(256);
    expect(pace.waitMs).toBe((256 / 50) * 1_000);
    utilization = 0.1;
    let waitedMs = 0;
    for (; pace.waitMs > 0; waitedMs += 250) takeLive();
    expect(waitedMs).toBeLessThan(2_500);
  });
});
