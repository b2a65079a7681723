import { expect, it } from 'vitest';
import { GroupCommit } from '../../src/storage/group-commit.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** A disk that can be full, with a log of callbacks. */
function scene() {
  const clock = new VirtualClock();
  const disk = { isFull: false, probes: 0 };
  const calls: string[] = [];
  const file = {
    transaction(work: () => void): void {
      work();
      if (disk.isFull) throw new Error('full');
    },
    probe: (): void => {
      disk.probes++;
    },
  };
  const group = new GroupCommit({
    ...{ file, clock, writeFirst: () => undefined, writeLast: () => undefined },
    onCommit: () => calls.push('commit'),
    onFailure: () => calls.push('failure'),
    onDefect: (error) => calls.push(String(error)),
  });
  const add = (name: string, canFail: boolean): void =>
    group.add(
      {
        ...{ rows: 1, write: () => undefined, committed: () => calls.push(`${name} committed`) },
        ...(canFail && { failed: () => calls.push(`${name} failed`) }),
      },
      true,
    );
  return { clock, disk, calls, group, add };
}

it('a disk that has room again is detected without new changes', () => {
  const { clock, disk, calls, add } = scene();
  disk.isFull = true;
  add('intake', true);
  clock.advance(100);
  expect(calls).toEqual(['failure', 'intake failed']);
  clock.advance(3_000);
  expect([disk.probes, calls.includes('commit')]).toEqual([3, false]);
  disk.isFull = false;
  clock.advance(1_000);
  expect([disk.probes, calls.at(-1)]).toEqual([4, 'commit']);
  clock.advance(60_000);
  expect(disk.probes).toBe(4);
});

it('a change that must not be lost is written when there is room again, without a probe', () => {
  const { clock, disk, calls, add } = scene();
  disk.isFull = true;
  add('ending', false);
  clock.advance(2_500);
  disk.isFull = false;
  clock.advance(1_000);
  expect([disk.probes, calls.slice(-2)]).toEqual([0, ['commit', 'ending committed']]);
});

it('a callback that throws does not prevent other callbacks', () => {
  const { clock, calls, group, add } = scene();
  const committed = (): void => {
    throw new Error('defect');
  };
  group.add({ rows: 1, write: () => undefined, committed }, true);
  add('intake', true);
  clock.advance(100);
  expect(calls).toEqual(['commit', 'Error: defect', 'intake committed']);
});

it('an `onCommit` that throws does not prevent other callbacks', () => {
  const calls: unknown[] = [];
  const group = new GroupCommit({
    file: { transaction: (work) => work(), probe: () => undefined },
    clock: new VirtualClock(),
    ...{ writeFirst: () => undefined, writeLast: () => undefined },
    onCommit: () => {
      throw new Error('defect');
    },
    onFailure: () => calls.push('failure'),
    onDefect: (error) => calls.push(String(error)),
  });
  group.add({ rows: 1, write: () => undefined, committed: () => calls.push('committed') }, true);
  group.commit();
  expect(calls).toEqual(['Error: defect', 'committed']);
});

it('a commit is not delayed when the clock is set', () => {
  const { clock, calls, add } = scene();
  add('one', true);
  clock.set(-3_600_000);
  add('two', true);
  clock.advance(100);
  clock.set(7_200_000);
  add('three', true);
  clock.advance(100);
  expect(calls.filter((what) => what.endsWith('committed'))).toHaveLength(3);
});

it('a group that has ended retries nothing', () => {
  const { clock, disk, calls, group, add } = scene();
  disk.isFull = true;
  add('intake', true);
  group.end();
  clock.advance(60_000);
  expect([disk.probes, calls]).toEqual([0, ['failure', 'intake failed']]);
});
