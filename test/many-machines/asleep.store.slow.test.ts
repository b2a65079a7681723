import { describe, expect, it } from 'vitest';
import { findPostgres } from '../helpers/find-postgres.js';
import type { FleetProcess } from './fleet.js';
import { openScene, type Scene } from './scene.js';
import { storedText } from './stored-text.js';

/** Two parts in hand, 500 events each. */
const inHand = 2 * 500;

/** A run with one worker, which has been stopped as by SIGSTOP for some time. */
async function openAsleep(): Promise<Scene & { worker: FleetProcess; run: string }> {
  const scene = await openScene({ files: 4, perFile: 4_000, isClean: true });
  const run = await scene.fleet.detach(scene.args);
  const [worker] = await scene.fleet.startWorkers(1);
  await scene.receiver.atLeast(1_000);
  worker!.child.kill('SIGSTOP');
  return { ...scene, worker: worker!, run };
}

/** Wakes it up; resolves with what it sent until it had ended. */
async function wakeAndStop({
  receiver,
  worker,
}: {
  receiver: Scene['receiver'];
  worker: FleetProcess;
}) {
  const before = (await receiver.report()).arrivals.length;
  worker.child.kill('SIGCONT');
  // Time for it to notice: it would send thousands of events otherwise.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const result = await worker.stop('SIGTERM');
  return { result, sent: (await receiver.report()).arrivals.length - before };
}

describe.skipIf(findPostgres() === undefined)('a worker that slept', () => {
  it('stops sending for a run that was cancelled meanwhile', async () => {
    const asleep = await openAsleep();
    await asleep.fleet.runs('cancel', asleep.run);
    const { result, sent } = await wakeAndStop(asleep);
    expect(sent).toBeLessThanOrEqual(inHand);
    expect(result.code).toBe(0);
  });

  it('stops sending for a run that was removed meanwhile', async () => {
    const asleep = await openAsleep();
    await asleep.fleet.runs('cancel', asleep.run);
    expect(await asleep.fleet.run(['runs', 'remove', asleep.run])).toMatchObject({ code: 0 });
    const { result, sent } = await wakeAndStop(asleep);
    expect(sent).toBeLessThanOrEqual(inHand);
    expect(result.code).toBe(0);
    expect(await storedText(asleep.server)).not.toContain(asleep.run);
  });

  it('goes on with a run that was paused and resumed meanwhile, and loses nothing', async () => {
    const { args, files, fleet, receiver, run, worker } = await openAsleep();
    await fleet.runs('pause', run);
    await fleet.runs('resume', run);
    worker.child.kill('SIGCONT');
    expect(await fleet.plan(args).ended).toMatchObject({ code: 0 });
    const { accepted } = await receiver.report();
    expect(accepted.filter((times) => times === 0)).toHaveLength(0);
    expect(await fleet.runs('show', run)).toMatchObject({ delivered: files.count });
  });
});
