import { describe, expect, it } from 'vitest';
import { findPostgres } from '../helpers/find-postgres.js';
import { isRefused, openScene, troubled } from './scene.js';
import { expectAgreement, expectComplete, repeatsOf } from './verdict.js';

describe.skipIf(findPostgres() === undefined)('all kinds of input and target, with kills', () => {
  it('imports gzip files', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({
      files: 4,
      perFile: 3_000,
      isGzip: true,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    await fleet.startWorkers(2);
    await receiver.atLeast(4_000);
    await fleet.replace(fleet.workers[0]!);
    const summary = await expectComplete(await planner.ended, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(1),
    });
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summary);
  });

  it('keeps the order of each user within a file', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({
      files: 3,
      perFile: 1_500,
      rules: troubled,
    });
    const planner = fleet.plan([...args, '--ordered']);
    await fleet.startWorkers(2);
    await receiver.atLeast(1_500);
    await fleet.replace(fleet.workers[0]!);
    await expectComplete(await planner.ended, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(1),
    });
    const { arrivals } = await receiver.report();
    const accepted = arrivals.filter(([, status]) => status === 200).map(([, , n]) => n);
    const last = new Map<string, number>();
    const early = [...new Set(accepted)].filter((n) => {
      const user = `${Math.floor(n / 1_500)}/${n % 50}`;
      const before = last.get(user) ?? -1;
      last.set(user, Math.max(n, before));
      return n < before;
    });
    expect(early).toEqual([]);
  });

  it('imports into a collector', async () => {
    const { cwd, files, fleet, receiver } = await openScene({
      files: 6,
      perFile: 5_000,
      rules: [{ status: 503, times: 3 }, { times: 1 }, { status: 200, delayMs: 20 }],
      env: { EVFWD_WRITE_KEY: 'k' },
    });
    const planner = fleet.plan([...files.names, '--endpoint', receiver.url]);
    await fleet.startWorkers(2);
    await receiver.atLeast(40);
    await fleet.replace(fleet.workers[0]!);
    const summary = await expectComplete(await planner.ended, cwd, receiver, {
      files,
      maxRepeats: repeatsOf(1),
    });
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summary);
  });
});
