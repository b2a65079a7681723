import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summaryOf } from '../helpers/process.js';
import type { RedisServer } from '../helpers/redis-server.js';
import { hasTool } from '../helpers/tools.js';
import { isInvalid } from './event-files.js';
import { isRefused, openScene, troubled } from './scene.js';
import { deadNumbers, expectAgreement, expectComplete, repeatsOf } from './verdict.js';

type Trouble = (redis: RedisServer) => unknown;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!hasTool('redis-server'))('a Redis server in trouble', () => {
  it('goes on by itself after the server was killed, and a worker with it', async () => {
    const { args, cwd, files, fleet, receiver, redis } = await openScene({
      files: 8,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    await fleet.startWorkers(3);
    await receiver.atLeast(3_000);
    await redis.kill();
    await pause(1_000);
    await redis.start();
    await receiver.atLeast(9_000);
    await redis.kill();
    await fleet.replace(fleet.workers[0]!);
    await redis.start();
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
      .filter((line) => line.includes('lost'));
    expect(lost).toHaveLength(2);
  });

  it('waits for a server that is full, and loses nothing', async () => {
    const { args, cwd, files, fleet, receiver, redis } = await openScene({
      files: 6,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    const [worker] = await fleet.startWorkers(2);
    await receiver.atLeast(2_000);
    redis.command('CONFIG', 'SET', 'maxmemory', '1mb');
    await worker!.says('OOM');
    redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await expectComplete(await planner.ended, cwd, receiver, { files, isRefused, maxRepeats: 0 });
  });

  it('cannot plan on a server that is full', async () => {
    const { args, fleet, redis } = await openScene({ files: 1, perFile: 100 });
    // Less than an empty server takes, which depends on how many files it may open.
    redis.command('CONFIG', 'SET', 'maxmemory', '100kb');
    const { code, stderr } = await fleet.plan(args).ended;
    expect(code).toBe(6);
    const errors = stderr.split('\n').filter((line) => line.startsWith('{"error"'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('OOM');
    redis.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(await fleet.detach(args)).toMatch(/^part-/);
  });

  it('sends all events when the server has lost its last seconds', async () => {
    const { args, cwd, files, fleet, receiver, redis } = await openScene({
      files: 6,
      perFile: 2_500,
      rules: troubled,
    });
    const planner = fleet.plan(args);
    await fleet.startWorkers(2);
    await receiver.atLeast(3_000);
    const data = join(redis.folder, 'appendonlydir');
    cpSync(data, `${data}-before`, { recursive: true });
    await receiver.atLeast(6_000);
    await redis.kill();
    rmSync(data, { recursive: true });
    renameSync(`${data}-before`, data);
    await redis.start();
    const result = await planner.ended;
    const { accepted } = await receiver.report();
    const isGood = (n: number): boolean => !isInvalid(n) && !isRefused(n);
    const numbers = Array.from({ length: files.count }, (_, n) => n);
    expect(numbers.filter((n) => isGood(n) && accepted[n] === 0)).toEqual([]);
    const dead = new Set(deadNumbers(summaryOf(result), cwd));
    expect(numbers.filter((n) => !isGood(n) && !dead.has(n))).toEqual([]);
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summaryOf(result));
  });

  it.each<[string, Trouble, Trouble]>([
    ['is away', (redis) => redis.kill(), (redis) => redis.start()],
    ['hangs', ({ pid }) => process.kill(pid, 'SIGSTOP'), ({ pid }) => process.kill(pid, 'SIGCONT')],
    [
      'is full',
      (redis) => redis.command('CONFIG', 'SET', 'maxmemory', '1'),
      (redis) => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
    ],
  ])('lets a worker end although it %s, and others continue', async (_what, begin, end) => {
    const { args, cwd, files, fleet, receiver, redis } = await openScene({
      files: 2,
      perFile: 2_500,
    });
    const planner = fleet.plan([...args, '--rate', '1000']);
    await fleet.startWorkers(1);
    await receiver.atLeast(1_000);
    await begin(redis);
    const [result] = await fleet.stopWorkers();
    expect(result).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        'not available: what is in hand cannot be given back',
      ) as string,
    });
    await end(redis);
    await fleet.startWorkers(1);
    const maxRepeats = repeatsOf(1);
    await expectComplete(await planner.ended, cwd, receiver, { files, maxRepeats });
  });
});
