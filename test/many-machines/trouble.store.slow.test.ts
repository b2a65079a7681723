import { describe, expect, it } from 'vitest';
import type { PostgresServer } from '../helpers/postgres.js';
import { findPostgres } from '../helpers/find-postgres.js';
import { isRefused, openScene, troubled } from './scene.js';
import { expectAgreement, expectComplete, repeatsOf } from './verdict.js';

type Trouble = (server: PostgresServer) => unknown;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(findPostgres() === undefined)('a PostgreSQL in trouble', () => {
  it('goes on by itself after the server was killed, and a worker with it', async () => {
    const { args, cwd, files, fleet, receiver, server } = await openScene({
      files: 8,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    await fleet.startWorkers(3);
    await receiver.atLeast(3_000);
    await server.kill();
    await pause(1_000);
    await server.start();
    await receiver.atLeast(9_000);
    await server.kill();
    await fleet.replace(fleet.workers[0]!);
    await pause(1_000);
    await server.start();
    const summary = await expectComplete(await planner.ended, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(2 * 3 + 1),
    });
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summary);
    const lost = planner
      .stderr()
      .split('\n')
      .filter((line) => line.includes('cannot be reached'));
    expect(lost).toHaveLength(2);
  });

  it('waits for a server that is away for 20 s, with one line', async () => {
    const { args, cwd, files, fleet, receiver, server } = await openScene({
      files: 6,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    const [worker] = await fleet.startWorkers(2);
    await receiver.atLeast(3_000);
    await server.stop();
    await pause(20_000);
    await server.start();
    await expectComplete(await planner.ended, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(2),
    });
    const said = worker!
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('store: '));
    expect(said).toEqual([
      expect.stringContaining('cannot be reached'),
      `store: ${server.shown} is there again`,
    ]);
  });

  it('waits for a server that is full, and loses nothing', async () => {
    const { args, cwd, files, fleet, receiver, server } = await openScene({
      files: 6,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    const [worker] = await fleet.startWorkers(2);
    await receiver.atLeast(2_000);
    await server.refuseWrites('53100');
    await worker!.says('its disk is full');
    await server.acceptWrites();
    await expectComplete(await planner.ended, cwd, receiver, { files, isRefused, maxRepeats: 0 });
  });

  it('waits for a server that is read-only for some time', async () => {
    const { args, cwd, files, fleet, receiver, server } = await openScene({
      files: 6,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    const [worker] = await fleet.startWorkers(2);
    await receiver.atLeast(2_000);
    await server.sql('ALTER SYSTEM SET default_transaction_read_only = on');
    await server.sql('SELECT pg_reload_conf()');
    await worker!.says('it is read-only');
    await server.sql('ALTER SYSTEM RESET default_transaction_read_only');
    await server.sql('SELECT pg_reload_conf()');
    await expectComplete(await planner.ended, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(2),
    });
  });

  it.each<[string, string, Trouble, Trouble]>([
    [
      'refuses them a right',
      'the user may not use its tables',
      (server) => server.refuseWrites('42501'),
      (server) => server.acceptWrites(),
    ],
    [
      'has no tables',
      'is missing); restore the tables',
      (server) => server.sql('ALTER SCHEMA evfwd RENAME TO gone'),
      (server) => server.sql('ALTER SCHEMA gone RENAME TO evfwd'),
    ],
  ])('goes on by itself after a server that %s', async (_what, said, begin, end) => {
    const { args, cwd, files, fleet, receiver, server } = await openScene({
      files: 4,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    const [worker] = await fleet.startWorkers(2);
    await receiver.atLeast(2_000);
    await begin(server);
    await worker!.says(said);
    await end(server);
    await expectComplete(await planner.ended, cwd, receiver, {
      files,
      isRefused,
      maxRepeats: repeatsOf(2),
    });
  });

  it('cannot plan on a server that is full', async () => {
    const { args, fleet, server } = await openScene({ files: 1, perFile: 100 });
    await fleet.run(['runs', 'list']);
    await server.refuseWrites('53100');
    const { code, stderr } = await fleet.plan(args).ended;
    expect(code).toBe(6);
    const errors = stderr.split('\n').filter((line) => line.startsWith('{"error"'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('its disk is full');
    await server.acceptWrites();
    expect(await fleet.detach(args)).toMatch(/^part-/);
  });

  it.each<[string, Trouble, Trouble]>([
    ['is away', (server) => server.kill(), (server) => server.start()],
    ['hangs', (server) => server.signalAll('SIGSTOP'), (server) => server.signalAll('SIGCONT')],
    ['is full', (server) => server.refuseWrites('53100'), (server) => server.acceptWrites()],
  ])('lets a worker end although it %s, and others continue', async (_what, begin, end) => {
    const { args, cwd, files, fleet, receiver, server } = await openScene({
      files: 2,
      perFile: 2_500,
    });
    const planner = fleet.plan([...args, '--rate', '1000']);
    await fleet.startWorkers(1);
    await receiver.atLeast(1_000);
    await begin(server);
    const [result] = await fleet.stopWorkers();
    expect(result).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        'not available: what is in hand cannot be given back',
      ) as string,
    });
    await end(server);
    await fleet.startWorkers(1);
    const maxRepeats = repeatsOf(1);
    await expectComplete(await planner.ended, cwd, receiver, { files, maxRepeats });
  });
});
