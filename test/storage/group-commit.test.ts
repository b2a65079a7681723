import { expect, it } from 'vitest';
import { GroupCommit } from '../../src/storage/group-commit.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** A disk that is full, or not, and what has happened to it. */
function scene() {
  const clock = new VirtualClock();
  const disk = { isFull: false, probes: 0 };
  const told: string[] = [];
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
    onCommit: () => told.push('commit'),
    onFailure: () => told.push('failure'),
    onDefect: (error) => told.push(String(error)),
  });
  const add = (name: string, canFail: boolean): void =>
    group.add(
      {
        ...{ rows: 1, write: () => undefined, committed: () => told.push(`${name} committed`) },
        ...(canFail && { failed: () => told.push(`${name} failed`) }),
      },
      true,
    );
  return { clock, disk, told, group, add };
}

it('a disk that has room again is noticed though nobody sends anything', () => {
  const { clock, disk, told, add } = scene();
  disk.isFull = true;
  add('intake', true);
  clock.advance(100);
  expect(told).toEqual(['failure', 'intake failed']);
  clock.advance(3_000);
  expect([disk.probes, told.includes('commit')]).toEqual([3, false]);
  disk.isFull = false;
  clock.advance(1_000);
  expect([disk.probes, told.at(-1)]).toEqual([4, 'commit']);
  clock.advance(60_000);
  expect(disk.probes).toBe(4);
});

it('what must not be lost is written when there is room again, without a probe', () => {
  const { clock, disk, told, add } = scene();
  disk.isFull = true;
  add('ending', false);
  clock.advance(2_500);
  disk.isFull = false;
  clock.advance(1_000);
  expect([disk.probes, told.slice(-2)]).toEqual([0, ['commit', 'ending committed']]);
});

it('one that throws when it is told keeps no other from being told', () => {
  const { clock, told, group, add } = scene();
  const committed = (): void => {
    throw new Error('told badly');
  };
  group.add({ rows: 1, write: () => undefined, committed }, true);
  add('intake', true);
  clock.advance(100);
  expect(told).toEqual(['commit', 'Error: told badly', 'intake committed']);
});

it('what is thrown at the end of a commit keeps nobody from being told', () => {
  const told: unknown[] = [];
  const group = new GroupCommit({
    file: { transaction: (work) => work(), probe: () => undefined },
    clock: new VirtualClock(),
    ...{ writeFirst: () => undefined, writeLast: () => undefined },
    onCommit: () => {
      throw new Error('counted badly');
    },
    onFailure: () => told.push('failure'),
    onDefect: (error) => told.push(String(error)),
  });
  group.add({ rows: 1, write: () => undefined, committed: () => told.push('committed') }, true);
  group.commit();
  expect(told).toEqual(['Error: counted badly', 'committed']);
});

it('is not delayed by a clock that is set', () => {
  const { clock, told, add } = scene();
  add('one', true);
  clock.set(-3_600_000);
  add('two', true);
  clock.advance(100);
  clock.set(7_200_000);
  add('three', true);
  clock.advance(100);
  expect(told.filter((what) => what.endsWith('committed'))).toHaveLength(3);
});

it('a group that has ended tries nothing any more', () => {
  const { clock, disk, told, group, add } = scene();
  disk.isFull = true;
  add('intake', true);
  group.end();
  clock.advance(60_000);
  expect([disk.probes, told]).toEqual([0, ['failure', 'intake failed']]);
});
