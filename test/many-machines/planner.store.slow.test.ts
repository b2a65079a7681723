import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { PostgresServer } from '../helpers/postgres.js';
import { summaryOf } from '../helpers/process.js';
import { findPostgres } from '../helpers/find-postgres.js';
import { Fleet } from './fleet.js';
import { isRefused, openScene, troubled } from './scene.js';
import { deadNumbers, expectAgreement, expectComplete } from './verdict.js';

const url = 'http://127.0.0.1:9/hook';

/** A file of so many parts of 8 MiB that takes no room on the disk. */
function sparseFile(parts: number): string {
  const path = join(folderWith({ 'big.ndjson': '{"type":"track"}\n' }), 'big.ndjson');
  truncateSync(path, parts * 8 * 1024 * 1024);
  return path;
}

describe.skipIf(findPostgres() === undefined)('planners', () => {
  it('leaves nothing when it is killed half-way, and plans all when it is started again elsewhere', async () => {
    const server = await PostgresServer.start();
    const path = sparseFile(20_000);
    const first = new Fleet(server, folderWith()).plan([path, '--url', url]);
    const planning = `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'INSERT INTO evfwd.part%'
      OR query LIKE '%-parts%'`;
    await expect.poll(() => server.sql(planning), { interval: 5 }).not.toEqual([]);
    expect(await first.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    const elsewhere = new Fleet(server, folderWith());
    const run = await elsewhere.detach([path, '--url', url]);
    expect(await elsewhere.runIds()).toEqual([run]);
    expect((await elsewhere.runs('show', run)).parts).toMatchObject({ total: 20_000, done: 0 });
    const waiting = await server.sql(
      'SELECT count(*)::int AS n FROM evfwd_jobs.job WHERE name = $1',
      [`${run}-parts`],
    );
    expect(waiting).toEqual([{ n: 20_000 }]);
  });

  it('makes one run of several planners that start at once', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({
      files: 6,
      perFile: 1_000,
      rules: troubled,
    });
    const absolute = args.map((arg) => (arg.startsWith('part-') ? join(cwd, arg) : arg));
    const other = folderWith();
    const planners = [
      fleet.plan(args),
      fleet.plan(args),
      fleet.plan([...absolute, '--dead-letter', 'own.ndjson'], other),
    ];
    await fleet.startWorkers(2);
    const [first, second, third] = await Promise.all(planners.map(({ ended }) => ended));
    expect(await fleet.runIds()).toHaveLength(1);
    const expected = { files, isRefused, maxRepeats: 0 };
    const summary = await expectComplete(first!, cwd, receiver, expected);
    await expectComplete(second!, cwd, receiver, expected);
    await expectComplete(third!, other, receiver, expected);
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summary);
  });

  it('completes the dead-letter file of a planner that was killed while it waited', async () => {
    const { args, cwd, files, fleet, receiver } = await openScene({
      files: 6,
      perFile: 2_000,
      rules: [{ status: 400, every: 7, rest: 5 }],
    });
    writeFileSync(join(cwd, 'dead.ndjson'), '');
    const command = [...args, '--dead-letter', 'dead.ndjson', '--stop-after', '100%'];
    await fleet.startWorkers(2);
    for (const requests of [1_500, 4_000, 7_000]) {
      const planner = fleet.plan(command);
      await receiver.atLeast(requests);
      await planner.stop('SIGKILL');
    }
    const result = await fleet.plan(command).ended;
    await expectComplete(result, cwd, receiver, {
      files,
      isRefused: (n) => n % 7 === 5,
      maxRepeats: 0,
    });
    // Once more, of a run that has ended.
    const again = await fleet.plan(command).ended;
    expect(again.code).toBe(3);
    const dead = deadNumbers(summaryOf(again), cwd);
    expect(new Set(dead).size).toBe(dead.length);
    // And from a directory that has no file yet.
    const other = folderWith();
    const absolute = command.map((arg) => (arg.startsWith('part-') ? join(cwd, arg) : arg));
    const copy = await fleet.plan(absolute, other).ended;
    expect(deadNumbers(summaryOf(copy), other)).toEqual(dead);
  });

  it('plans 1,000 parts in less than 2 MB of the database', async () => {
    const server = await PostgresServer.start();
    const fleet = new Fleet(server, folderWith());
    await fleet.run(['runs', 'list']);
    const used = async (): Promise<number> => {
      const [row] = await server.sql<{ bytes: string }>(
        'SELECT pg_database_size(current_database()) AS bytes',
      );
      return Number(row!.bytes);
    };
    const before = await used();
    await fleet.detach([sparseFile(1_000), '--url', url]);
    expect((await used()) - before).toBeLessThan(2_000_000);
  });
});
