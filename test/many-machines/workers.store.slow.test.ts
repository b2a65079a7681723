import { appendFileSync, mkdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planFormat } from '../../src/importer/shared/plan.js';
import { FakeTime, findFaketime } from '../helpers/faketime.js';
import { folderWith } from '../helpers/folder.js';
import { summaryOf } from '../helpers/process.js';
import { findPostgres } from '../helpers/find-postgres.js';
import { isRefused, openScene, troubled } from './scene.js';
import { expectAgreement, expectComplete } from './verdict.js';
import { execFileSync } from '../helpers/run-sync.js';

/** A file elsewhere with the same content and times, which Node.js could only round. */
function copyWithTimes(from: string, to: string): void {
  execFileSync('cp', ['-p', from, to]);
}

describe.skipIf(findPostgres() === undefined)('workers that differ', () => {
  it('sends nothing from a worker whose secret differs, and says which it is', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({ files: 2, perFile: 500 });
    const planner = fleet.plan(args, cwd, { EVFWD_SECRET: 'right' });
    await planner.says('"run":');
    const wrong = fleet.startWorker([], { EVFWD_SECRET: 'wrong' });
    const none = fleet.startWorker([]);
    await Promise.all([wrong.says('secret'), none.says('EVFWD_SECRET')]);
    expect((await receiver.report()).arrivals).toHaveLength(0);
    fleet.startWorker([], { EVFWD_SECRET: 'right' });
    await expectComplete(await planner.ended, cwd, receiver, { files, maxRepeats: 0 });
  });

  it('sends nothing from a worker without a header of the plan', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({ files: 2, perFile: 500 });
    const header = ['--header', 'Authorization: Bearer x'];
    const planner = fleet.plan([...args, ...header]);
    const without = fleet.startWorker();
    await without.says('uthorization');
    expect((await receiver.report()).arrivals).toHaveLength(0);
    fleet.startWorker(header);
    await expectComplete(await planner.ended, cwd, receiver, { files, maxRepeats: 0 });
  });

  it('leaves a run to a worker that has its files', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({ files: 4, perFile: 500 });
    const empty = folderWith();
    const planner = fleet.plan(args);
    const [having] = await fleet.startWorkers(1, ['--concurrency', '1']);
    await receiver.atLeast(1);
    const lacking = fleet.startWorker(['--root', `${cwd}=${empty}`]);
    await lacking.says('part-');
    const summary = await expectComplete(await planner.ended, cwd, receiver, {
      files,
      maxRepeats: 0,
    });
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summary);
    expect(having!.child.exitCode).toBeNull();
  });

  it('fails parts by name where no worker has the file, until verify puts them back', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({ files: 3, perFile: 500 });
    const empty = folderWith();
    const planner = fleet.plan(args);
    const lacking = fleet.startWorker(['--root', `${cwd}=${empty}`]);
    const { code, stdout } = await planner.ended;
    expect(code).toBe(3);
    expect(stdout).toContain('part-0-1.ndjson');
    await lacking.stop('SIGTERM');
    const [run] = await fleet.runIds();
    expect((await fleet.runs('show', run!)).problems).not.toEqual([]);
    await fleet.run(['runs', 'verify', run!]);
    expect(await fleet.runs('show', run!)).toMatchObject({ state: 'running' });
    await fleet.startWorkers(1);
    const last = await fleet.plan(args).ended;
    await expectComplete(last, cwd, receiver, { files, maxRepeats: 0 });
  });

  it('fails the part of a file that has changed, and delivers the others', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({ files: 3, perFile: 500 });
    const path = join(cwd, files.names[1]!);
    const original = join(folderWith(), 'original');
    copyWithTimes(path, original);
    const planner = fleet.plan(args);
    await planner.says('"run":');
    const [run] = await fleet.runIds();
    appendFileSync(path, 'x');
    await fleet.startWorkers(2);
    const changed = await planner.ended;
    expect(changed.code).toBe(3);
    const summary = summaryOf(changed) as unknown as { read: number; problems: unknown[] };
    expect(summary.read).toBe(1_000);
    expect(summary.problems).toHaveLength(1);
    expect(JSON.stringify(summary.problems)).toContain('part-0-1.ndjson');
    expect((await fleet.runs('show', run!)).parts).toEqual({ total: 3, done: 2, failed: 1 });
    const again = await fleet.plan(args).ended;
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('has changed since')]);
    // As the planner saw it, it can be imported after all.
    copyWithTimes(original, path);
    await fleet.run(['runs', 'verify', run!]);
    const restored = await fleet.plan(args).ended;
    await expectComplete(restored, cwd, receiver, { files, maxRepeats: 0 });
  });

  it('refuses a plan of another format, as planners do', async () => {
    const { args, fleet, receiver, server } = await openScene({ files: 1, perFile: 100 });
    const run = await fleet.detach(args);
    const changed = await server.sql(
      `UPDATE evfwd.run SET plan = replace(plan, $1, '"format":99') WHERE plan LIKE $2 RETURNING id`,
      [`"format":${planFormat}`, `%"format":${planFormat}%`],
    );
    expect(changed).toEqual([{ id: run }]);
    const worker = fleet.startWorker();
    await worker.says(run);
    expect(await fleet.plan(args).ended).toMatchObject({ code: 2 });
    expect(await worker.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect((await receiver.report()).arrivals).toHaveLength(0);
  });

  it('reads the files at other paths by --root', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({ files: 3, perFile: 500 });
    const elsewhere = join(folderWith(), 'copy');
    mkdirSync(elsewhere);
    for (const name of files.names) copyWithTimes(join(cwd, name), join(elsewhere, name));
    const planner = fleet.plan(args);
    await planner.says('"run":');
    // Nothing is read at the paths of the planner any more.
    for (const name of files.names) truncateSync(join(cwd, name), 0);
    fleet.startWorker(['--root', `${cwd}=${elsewhere}`]);
    await expectComplete(await planner.ended, cwd, receiver, { files, maxRepeats: 0 });
  });

  it.skipIf(findFaketime() === undefined)(
    'retries at the time of the server, whatever the clocks of the workers say',
    async () => {
      const { args, cwd, files, fleet, receiver } = await openScene({
        files: 4,
        perFile: 500,
        rules: [{ status: 503, every: 40, rest: 7, attempts: 1 }, ...troubled.slice(0, 1)],
      });
      const fast = new FakeTime(join(cwd, 'fast'));
      const slow = new FakeTime(join(cwd, 'slow'));
      fast.set('+1h');
      slow.set('-1h');
      const planner = fleet.plan(args);
      fleet.startWorker([], fast.env);
      fleet.startWorker([], slow.env);
      const result = await planner.ended;
      await expectComplete(result, cwd, receiver, { files, isRefused, maxRepeats: 0 });
      const { arrivals } = await receiver.report();
      const first = new Map<number, number>();
      const waits = arrivals.flatMap(([at, , n]) => {
        const before = first.get(n);
        first.set(n, before ?? at);
        return before === undefined ? [] : [at - before];
      });
      expect(waits.length).toBeGreaterThan(30);
      // 5 s less the jitter; an hour would have ended the test.
      expect(Math.min(...waits)).toBeGreaterThan(2_000);
    },
  );
});
