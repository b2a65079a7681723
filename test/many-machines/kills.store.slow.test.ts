import { describe, expect, it } from 'vitest';
import { findPostgres } from '../helpers/find-postgres.js';
import { seededRandom } from '../helpers/seed.js';
import { isRefused, openScene, troubled } from './scene.js';
import { expectAgreement, expectComplete, repeatsOf } from './verdict.js';

describe.skipIf(findPostgres() === undefined)('workers that die', () => {
  it('loses nothing when random workers are killed', async () => {
    const random = seededRandom();
    const kills = 4;
    const { args, cwd, files, fleet, receiver } = await openScene({
      files: 12,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    await fleet.startWorkers(3);
    for (let kill = 1; kill <= kills; kill++) {
      await receiver.atLeast(Math.floor(((kill - random()) * files.count * 0.9) / kills));
      await fleet.replace(fleet.workers[Math.floor(random() * fleet.workers.length)]!);
    }
    const result = await planner.ended;
    const summary = await expectComplete(result, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(kills),
    });
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summary);
  });

  it('goes on when all of them are killed at once', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({
      files: 6,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    await fleet.startWorkers(2);
    await receiver.atLeast(3_000);
    await Promise.all(fleet.workers.splice(0).map((worker) => worker.stop('SIGKILL')));
    await fleet.startWorkers(2);
    await expectComplete(await planner.ended, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(2),
    });
  });

  it('lets a frozen worker send no more than it had in hand after it wakes up', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({
      files: 6,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    const [frozen] = await fleet.startWorkers(2);
    await receiver.atLeast(2_000);
    frozen!.child.kill('SIGSTOP');
    const summary = await expectComplete(await planner.ended, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(1),
    });
    frozen!.child.kill('SIGCONT');
    // It is ready to stop only once it has given up what it held.
    expect(await frozen!.stop('SIGTERM')).toMatchObject({ code: 0 });
    await expectComplete(await planner.ended, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(1),
    });
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summary);
  });

  it('repeats nothing when all workers are stopped and started again', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({
      files: 6,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    await fleet.startWorkers(2);
    for (const requests of [2_000, 6_000]) {
      await receiver.atLeast(requests);
      const ends = await fleet.stopWorkers();
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      await fleet.startWorkers(2);
    }
    await expectComplete(await planner.ended, cwd, receiver, { files, isRefused, maxRepeats: 0 });
  });
});
