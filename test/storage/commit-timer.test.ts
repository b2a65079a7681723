import { describe, expect, it } from 'vitest';
import { CommitTimer, type CommitGroup } from '../../src/storage/commit-timer.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** A timer for groups of three rows or 5 ms, with commits that take `tookMs`. */
function opened(tookMs = 0, change: Partial<CommitGroup> = {}) {
  const clock = new VirtualClock();
  let blockedMs = 0;
  const commits: { readonly rows: number; readonly at: number }[] = [];
  const commit = (): void => {
    commits.push({ rows: timer.rows, at: clock.elapsedMs });
    timer.commit(() => (blockedMs += tookMs));
  };
  const slowClock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + blockedMs,
    after: clock.after.bind(clock),
  };
  const timer = new CommitTimer(slowClock, commit, { rows: 3, ms: 5, ...change });
  const add = (rows?: number, minMs?: number): void => {
    if (timer.add(rows, minMs)) commit();
  };
  return { timer, clock, commits, add };
}

describe('a commit', () => {
  it('is due when the group is full', () => {
    const { timer, commits, add } = opened();
    for (let i = 0; i < 7; i++) add();
    expect(commits.map(({ rows }) => rows)).toEqual([3, 3]);
    expect(timer.rows).toBe(1);
    add(2);
    expect(commits).toHaveLength(3);
  });

  it('is due when the first row has waited long enough, whatever is added after it', () => {
    const { clock, commits, add } = opened();
    add();
    clock.advance(4);
    add();
    expect(commits).toEqual([]);
    clock.advance(1);
    expect(commits).toEqual([{ rows: 2, at: 5 }]);
    clock.advance(100);
    expect(commits).toHaveLength(1);
  });

  it('waits longer for rows that may wait, until one is added that may not', () => {
    const { clock, commits, add } = opened();
    add(1, 20);
    clock.advance(20);
    expect(commits).toEqual([{ rows: 1, at: 20 }]);
    add(1, 20);
    clock.advance(2);
    add();
    clock.advance(5);
    expect(commits[1]).toEqual({ rows: 2, at: 27 });
  });

  it('is put off by no row that may wait less, but that comes late', () => {
    const { clock, commits, add } = opened();
    add(1, 20);
    clock.advance(18);
    add();
    clock.advance(2);
    expect(commits).toEqual([{ rows: 2, at: 20 }]);
  });

  it.each([
    [undefined, 20, 50],
    [undefined, 2, 20],
    [4, 2, 8],
    [4, 20, 50],
    [4, 1, 5],
  ])(
    'delays the next group by %s (default 10) times the %s ms it took, 5 to 50: %s ms',
    (delayPerCommit, tookMs, delayMs) => {
      const { clock, commits, add } = opened(tookMs, delayPerCommit ? { delayPerCommit } : {});
      add();
      clock.advance(5);
      add();
      clock.advance(delayMs - 1);
      expect(commits).toHaveLength(1);
      clock.advance(1);
      expect(commits).toHaveLength(2);
    },
  );

  it('that fails changes no delay, and can be scheduled again', () => {
    const { timer, clock, commits, add } = opened();
    add();
    const fail = (): void => {
      throw new Error('no');
    };
    expect(() => timer.commit(fail)).toThrow('no');
    timer.callWithin(1_000);
    clock.advance(999);
    expect(commits).toEqual([]);
    clock.advance(1);
    expect(commits).toEqual([{ rows: 0, at: 1_000 }]);
    add();
    clock.advance(5);
    expect(commits).toHaveLength(2);
  });

  it('is not due after `stop`', () => {
    const { timer, clock, commits, add } = opened();
    add();
    timer.stop();
    clock.advance(100);
    expect(commits).toEqual([]);
    expect(timer.rows).toBe(1);
  });
});
