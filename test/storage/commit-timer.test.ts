import { describe, expect, it } from 'vitest';
import { CommitTimer } from '../../src/storage/commit-timer.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** A timer for groups of three rows or 5 ms, that commits when it is due; `tookMs` each time. */
function opened(tookMs = 0) {
  const clock = new VirtualClock();
  const commits: { readonly rows: number; readonly at: number }[] = [];
  const startedAt = clock.now();
  const commit = (): void => {
    timer.stop();
    timer.during(() => {
      commits.push({ rows: timer.rows, at: clock.now() - startedAt });
      const endsAt = performance.now() + tookMs;
      while (performance.now() < endsAt);
    });
  };
  const timer = new CommitTimer(clock, commit, { rows: 3, ms: 5 });
  return { timer, clock, commits };
}

describe('a commit', () => {
  it('is due with so many rows', () => {
    const { timer, commits } = opened();
    for (let i = 0; i < 7; i++) timer.add();
    expect(commits.map(({ rows }) => rows)).toEqual([3, 3]);
    expect(timer.rows).toBe(1);
  });

  it('is due when the first row has waited for so long, whatever comes behind it', () => {
    const { timer, clock, commits } = opened();
    timer.add();
    clock.advance(4);
    timer.add();
    expect(commits).toEqual([]);
    clock.advance(1);
    expect(commits).toEqual([{ rows: 2, at: 5 }]);
    clock.advance(100);
    expect(commits).toHaveLength(1);
  });

  it('that takes long gives the next group ten times as long, and no more than 50 ms', () => {
    const { timer, clock, commits } = opened(20);
    timer.add();
    clock.advance(5);
    timer.add();
    clock.advance(49);
    expect(commits).toHaveLength(1);
    clock.advance(1);
    expect(commits).toHaveLength(2);
  });

  it('that fails leaves its rows to the next one', () => {
    const { timer } = opened();
    timer.add();
    const fail = (): void => {
      throw new Error('no');
    };
    expect(() => timer.during(fail)).toThrow('no');
    expect(timer.rows).toBe(1);
  });
});
