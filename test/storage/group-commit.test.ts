import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { GroupCommit } from '../../src/storage/group-commit.js';
import type { OnDisk } from '../../src/storage/state-file.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** A disk that can be full or broken, with a log of callbacks. */
function scene(onFailure?: () => void) {
  const clock = new VirtualClock();
  const disk = { isFull: false, isBroken: false, probes: 0, rescues: 0 };
  const calls: string[] = [];
  /** Flushes in progress; each is ended by a test. */
  const flushes: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const file = {
    transaction(work: () => void, onDisk?: OnDisk): void {
      work();
      if (disk.isFull) throw new Error('full');
      if (disk.isBroken && onDisk === 'at once') throw new Error('broken');
    },
    probe: (): void => {
      disk.probes++;
    },
    flush: () => new Promise<void>((resolve, reject) => flushes.push({ resolve, reject })),
    makeRoom: () => undefined,
    rescueUnflushed: (): void => {
      disk.rescues++;
      if (disk.isBroken) throw new Error('broken');
    },
  };
  const group = new GroupCommit({
    ...{ file, clock, writeFirst: () => undefined, writeLast: () => undefined },
    onCommit: () => calls.push('commit'),
    onAllWritten: () => undefined,
    onFailure: onFailure ?? (() => calls.push('failure')),
    onDefect: (error) => calls.push(String(error)),
  });
  const add = (name: string, canFail: boolean): void =>
    group.add(
      {
        ...{ rows: 1, write: () => undefined, durable: () => calls.push(`${name} durable`) },
        ...(canFail && { failed: () => calls.push(`${name} failed`) }),
      },
      true,
    );
  /** Ends the oldest flush, and waits until that is noticed. */
  const endFlush = async (error?: Error): Promise<void> => {
    const flush = flushes.shift()!;
    if (error) flush.reject(error);
    else flush.resolve();
    await turn();
  };
  return { clock, disk, calls, group, add, flushes, endFlush };
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

it('a change that must not be lost is written when there is room again, without a probe', async () => {
  const { clock, disk, calls, add, endFlush } = scene();
  disk.isFull = true;
  add('ending', false);
  clock.advance(2_500);
  disk.isFull = false;
  clock.advance(1_000);
  await endFlush();
  expect([disk.probes, calls.slice(-2)]).toEqual([0, ['commit', 'ending durable']]);
});

it('a callback that throws does not prevent other callbacks', async () => {
  const { clock, calls, group, add, endFlush } = scene();
  const durable = (): void => {
    throw new Error('defect');
  };
  group.add({ rows: 1, write: () => undefined, durable }, true);
  add('intake', true);
  clock.advance(100);
  await endFlush();
  expect(calls).toEqual(['commit', 'Error: defect', 'intake durable']);
});

it('an `onCommit` that throws does not prevent other callbacks', () => {
  const calls: unknown[] = [];
  const nothing = (): void => undefined;
  const group = new GroupCommit({
    file: {
      ...{ transaction: (work) => work(), probe: nothing, flush: () => Promise.resolve() },
      ...{ rescueUnflushed: nothing, makeRoom: nothing },
    },
    clock: new VirtualClock(),
    ...{ writeFirst: nothing, writeLast: nothing },
    onCommit: () => {
      throw new Error('defect');
    },
    onAllWritten: nothing,
    onFailure: () => calls.push('failure'),
    onDefect: (error) => calls.push(String(error)),
  });
  group.add({ rows: 1, write: nothing, durable: () => calls.push('durable') }, true);
  group.commit();
  expect(calls).toEqual(['Error: defect', 'durable']);
});

it('a change is reported once a flush that began after its commit has ended', async () => {
  const { clock, calls, add, flushes, endFlush } = scene();
  add('one', true);
  clock.advance(100);
  add('two', true);
  clock.advance(100);
  expect([calls, flushes.length]).toEqual([['commit', 'commit'], 1]);
  await endFlush();
  expect(calls.slice(2)).toEqual(['one durable']);
  await endFlush();
  expect([calls.slice(3), flushes.length]).toEqual([['two durable'], 0]);
});

it('commits during a flush share the next one, and are reported in their order', async () => {
  const { clock, calls, add, endFlush } = scene();
  for (const name of ['one', 'two', 'three']) {
    add(name, true);
    clock.advance(100);
  }
  await endFlush();
  await endFlush();
  expect(calls.filter((what) => what.endsWith('durable'))).toEqual([
    'one durable',
    'two durable',
    'three durable',
  ]);
});

it('a commit that is asked for makes all durable at once, and each change is reported once', async () => {
  const { clock, calls, group, add, endFlush } = scene();
  add('one', true);
  clock.advance(100);
  add('two', true);
  group.commit();
  expect(calls).toEqual(['commit', 'commit', 'one durable', 'two durable']);
  add('three', true);
  clock.advance(100);
  await endFlush();
  expect(calls.slice(4)).toEqual(['commit']);
  await endFlush();
  expect(calls.slice(5)).toEqual(['three durable']);
});

it('a commit that is asked for is written, also when its own changes write nothing', () => {
  const { clock, disk, calls, group, add } = scene();
  add('urgent', true);
  clock.advance(1);
  group.add({ rows: 0, write: () => expect(disk.probes).toBe(1) }, false);
  expect(calls).toEqual(['commit']);
  group.commit();
  expect([disk.probes, calls]).toEqual([1, ['commit', 'commit', 'urgent durable']]);
});

it('after a failed flush callers get the error, and nothing counts as durable before a rescue', async () => {
  const { clock, disk, calls, add, flushes, endFlush } = scene();
  disk.isBroken = true;
  add('intake', true);
  add('ending', false);
  clock.advance(100);
  await endFlush(new Error('broken'));
  expect(calls).toEqual(['commit', 'failure', 'intake failed']);
  add('later', true);
  clock.advance(100);
  expect([calls.slice(3), flushes.length]).toEqual([['failure', 'later failed'], 0]);
  disk.isBroken = false;
  clock.advance(1_000);
  expect([calls.slice(5), disk.rescues]).toEqual([
    ['intake durable', 'ending durable', 'commit'],
    2,
  ]);
});

it('a commit that is asked for does not flush again what a flush could not write', async () => {
  const { clock, disk, calls, group, add, endFlush } = scene();
  disk.isBroken = true;
  add('ending', false);
  clock.advance(100);
  await endFlush(new Error('broken'));
  group.commit();
  expect(calls).toEqual(['commit', 'failure', 'failure']);
  disk.isBroken = false;
  group.commit();
  expect(calls.slice(3)).toEqual(['ending durable', 'commit']);
});

it('a commit is not delayed when the clock is set', async () => {
  const { clock, calls, add, endFlush } = scene();
  add('one', true);
  clock.set(-3_600_000);
  add('two', true);
  clock.advance(100);
  clock.set(7_200_000);
  add('three', true);
  clock.advance(100);
  await endFlush();
  await endFlush();
  expect(calls.filter((what) => what.endsWith('durable'))).toHaveLength(3);
});

it('a group that has ended retries nothing', () => {
  const { clock, disk, calls, group, add } = scene();
  disk.isFull = true;
  add('intake', true);
  group.end();
  clock.advance(60_000);
  expect([disk.probes, calls]).toEqual([0, ['failure', 'intake failed']]);
});

it('a group that has ended retries no failed flush', async () => {
  const { clock, disk, calls, group, add, endFlush } = scene();
  disk.isBroken = true;
  add('intake', true);
  clock.advance(100);
  group.end();
  await endFlush(new Error('broken'));
  clock.advance(60_000);
  expect(disk.rescues).toBe(0);
  expect(calls.filter((what) => what === 'intake failed').length).toBeGreaterThan(0);
});

it('reports the end of the transaction before the flush', async () => {
  const { clock, calls, group, endFlush } = scene();
  group.add(
    {
      ...{ rows: 1, write: () => undefined },
      committed: () => calls.push('committed'),
      durable: () => calls.push('durable'),
    },
    true,
  );
  clock.advance(100);
  expect(calls).toEqual(['commit', 'committed']);
  await endFlush();
  expect(calls).toEqual(['commit', 'committed', 'durable']);
});

it('what a callback adds during a rescue is written', async () => {
  const { clock, disk, calls, group, add, endFlush } = scene();
  disk.isBroken = true;
  const durable = (): void => add('added', true);
  group.add({ rows: 1, write: () => undefined, durable }, true);
  clock.advance(100);
  await endFlush(new Error('broken'));
  disk.isBroken = false;
  clock.advance(1_000);
  await endFlush();
  expect(calls.at(-1)).toBe('added durable');
});

it('a callback that asks for a commit does not change the order of the others', async () => {
  const { clock, calls, group, add, endFlush } = scene();
  const durable = (): void => {
    add('three', true);
    group.commit();
  };
  group.add({ rows: 1, write: () => undefined, durable }, true);
  add('two', true);
  clock.advance(100);
  await endFlush();
  expect(calls.filter((what) => what !== 'commit')).toEqual(['two durable', 'three durable']);
});

it('a flush that fails after a commit that was asked for is followed by a rescue', async () => {
  const { clock, disk, calls, group, add, endFlush } = scene();
  add('one', true);
  clock.advance(100);
  group.commit();
  expect(calls.at(-1)).toBe('one durable');
  await endFlush(new Error('broken'));
  clock.advance(1_000);
  expect([disk.rescues, calls.filter((what) => what === 'one durable').length]).toEqual([1, 1]);
});

it('a group that has ended ignores a flush that fails later', async () => {
  const { clock, disk, add, group, endFlush } = scene();
  add('one', true);
  clock.advance(100);
  group.end();
  await endFlush(new Error('closed'));
  clock.advance(60_000);
  expect(disk.rescues).toBe(0);
});

it('a listener that throws at a failure does not keep callers waiting', async () => {
  const { clock, disk, calls, add, group, endFlush } = scene(() => {
    throw new Error('defect');
  });
  disk.isFull = true;
  add('written', true);
  group.commit();
  expect(calls).toEqual(['Error: defect', 'written failed']);
  disk.isFull = false;
  calls.length = 0;
  add('flushed', true);
  clock.advance(1);
  await endFlush(new Error('broken'));
  expect(calls).toEqual(['commit', 'Error: defect', 'flushed failed']);
  clock.advance(1_000);
  expect(calls).toContain('flushed durable');
});

it('what fits is written of a group that does not: what only deletes, then the small, each once', () => {
  const calls: string[] = [];
  const nothing = (): void => undefined;
  /** `inLog`: how much room it makes when the log is copied. */
  const disk = { room: 30, inLog: 10, pending: 0 };
  const clock = new VirtualClock();
  const group = new GroupCommit({
    file: {
      transaction: (work) => {
        disk.pending = 0;
        work();
        if (disk.pending > disk.room) throw new Error('full');
        disk.room -= disk.pending;
      },
      ...{ probe: nothing, flush: () => Promise.resolve(), rescueUnflushed: nothing },
      makeRoom: () => {
        calls.push('room is made');
        disk.room += disk.inLog;
        disk.inLog = 0;
      },
    },
    ...{ clock, writeFirst: nothing, writeLast: nothing, onCommit: nothing, onFailure: nothing },
    onAllWritten: () => calls.push('all'),
    onDefect: (error) => calls.push(String(error)),
  });
  for (const bytes of [60, 30, 0, 10, 40]) {
    const write = (): void => void (disk.pending += bytes);
    group.add({ rows: 1, bytes, write, committed: () => calls.push(`${bytes}`) }, true);
  }
  group.commit();
  expect(calls).toEqual(['0', '10', 'room is made', '30', 'room is made']);
  expect(group.unwrittenRows).toBe(2);
  disk.room = 100;
  clock.advance(1_000);
  expect(calls.slice(5)).toEqual(['40', '60', 'all']);
  expect(group.unwrittenRows).toBe(0);
});
