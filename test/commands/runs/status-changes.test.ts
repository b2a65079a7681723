import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { RunsContext } from '../../../src/commands/runs/context.js';
import { cancel, pause, resume } from '../../../src/commands/runs/status-changes.js';
import type { RunStore } from '../../../src/importer/shared/run-store.js';
import type { RunStatus } from '../../../src/importer/shared/run-record.js';
import { recordOf } from '../../helpers/run-snapshots.js';

interface World {
  readonly context: RunsContext;
  /** What was asked of the server. */
  readonly calls: string[];
  said(): string;
}

/** A server with one run; `statuses` is what it has at each look, the last one from then on. */
function worldOf(...statuses: readonly RunStatus[]): World {
  const calls: string[] = [];
  let looks = 0;
  const look = () => recordOf({ status: statuses[Math.min(looks++, statuses.length - 1)]! });
  const change = (name: string, from: readonly RunStatus[]) => () => {
    calls.push(name);
    return Promise.resolve(from.includes(statuses[Math.min(looks, statuses.length - 1)]!));
  };
  const store: Partial<RunStore> = {
    name: 'postgres://127.0.0.1:5432/events',
    list: () => Promise.resolve([look()]),
    find: () => Promise.resolve(look()),
    pause: change('pause', ['running']),
    resume: change('resume', ['paused']),
    cancel: change('cancel', ['running', 'paused']),
  };
  const stderr = new PassThrough();
  const io = {
    ...{ stdin: new PassThrough(), stdout: new PassThrough(), stderr },
    ...{ env: {}, cwd: '/', exit: () => undefined },
  };
  const context = { store: store as RunStore, flags: {}, io };
  return { context, calls, said: () => String(stderr.read() ?? '') };
}

describe('changing the status of a run', () => {
  it('pauses, resumes and cancels', async () => {
    const running = worldOf('running');
    expect(await pause(running.context, 'hist')).toBe(0);
    expect(running.said()).toBe(
      'history-k3f9c02d is paused: its workers finish what is in flight; resume it with: evfwd runs resume history-k3f9c02d\n',
    );
    const paused = worldOf('paused');
    expect(await resume(paused.context, 'hist')).toBe(0);
    expect(paused.said()).toMatch(/^history-k3f9c02d is running: /);
    for (const status of ['running', 'paused'] as const) {
      const world = worldOf(status);
      expect(await cancel(world.context, 'hist')).toBe(0);
      expect(world.said()).toMatch(/^history-k3f9c02d is cancelled: /);
    }
  });

  it.each([
    ['paused', pause],
    ['running', resume],
    ['cancelled', cancel],
  ] as const)('says so and exits 0 when the run is already %s', async (status, work) => {
    const world = worldOf(status);
    expect(await work(world.context, 'hist')).toBe(0);
    expect(world.calls).toEqual([]);
    expect(world.said()).toBe(`history-k3f9c02d is already ${status}\n`);
  });

  it.each([
    ['pause', 'finished', 'it has finished', pause],
    ['pause', 'cancelled', 'it was cancelled', pause],
    ['resume', 'finished', 'it has finished', resume],
    ['resume', 'cancelled', 'it was cancelled', resume],
    ['cancel', 'finished', 'it has finished', cancel],
  ] as const)('refuses to %s a run that is %s', async (name, status, why, work) => {
    const { context, calls } = worldOf(status);
    await expect(work(context, 'hist')).rejects.toMatchObject({ exitCode: 2 });
    await expect(work(context, 'hist')).rejects.toThrow(
      `cannot ${name} history-k3f9c02d: ${why}; `,
    );
    expect(calls).toEqual([]);
  });

  it('looks again when somebody else was quicker', async () => {
    const finished = worldOf('running', 'finished');
    await expect(pause(finished.context, 'hist')).rejects.toThrow('it has finished');
    const paused = worldOf('running', 'paused');
    expect(await pause(paused.context, 'hist')).toBe(0);
    expect(paused.said()).toBe('history-k3f9c02d is already paused\n');
  });
});
