import { describe, expect, it, vi } from 'vitest';
import type { ItemRef } from '../../../src/importer/shared/item.js';
import type { QueueServer } from '../../../src/importer/shared/queue-server.js';
import { plannedRun, testCommit, testPlan, testQueue, testWorker } from '../../helpers/queue.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

/** Ranges that no plan of these tests has. */
const ranges = new Map([['9-0', { file: 0, from: 0, to: 10 }]]);

describe.skipIf(!hasTool('redis-server'))('a queue in trouble', () => {
  it('waits for a server that was killed, with a line when it begins and one when it ends', async () => {
    const server = await RedisServer.start();
    const { queue, troubles } = await testQueue(server);
    const { id } = await plannedRun(queue);
    await server.kill();
    await vi.waitFor(() => expect(troubles).toHaveLength(1), 10_000);
    const paused = queue.pause(id, null);
    await server.start();
    expect(await paused).toBe(true);
    expect(await queue.find(id)).toMatchObject({ status: 'paused', total: 3 });
    await vi.waitFor(() => expect(troubles).toHaveLength(2), 10_000);
    expect(troubles[0]).toMatchObject({ kind: 'lost' });
    expect(troubles[0]!.message).toMatch(/^lost the connection to redis:\S+.*; waiting for it$/);
    expect(troubles[1]).toEqual({
      kind: 'restored',
      message: `connected to ${queue.url} again`,
    });
    expect(
      Math.abs(queue.now() - Number(server.command('TIME').split('\n')[0]) * 1_000),
    ).toBeLessThan(5_000);
  });

  it('says when a server hangs, and when it responds again, and waits for it', async () => {
    const server = await RedisServer.start();
    const clock = new VirtualClock();
    const { queue, troubles } = await testQueue(server, { clock });
    const { id } = await plannedRun(queue);
    process.kill(server.pid, 'SIGSTOP');
    const paused = queue.pause(id, null);
    clock.advance(4_000);
    expect(troubles).toEqual([]);
    clock.advance(1_000);
    process.kill(server.pid, 'SIGCONT');
    expect(await paused).toBe(true);
    await vi.waitFor(() => expect(troubles).toHaveLength(2), 10_000);
    expect(troubles).toEqual([
      { kind: 'silent', message: `${queue.url} has not responded for 5 s; waiting for it` },
      { kind: 'restored', message: `${queue.url} responds again` },
    ]);
  });

  it('says nothing of an operation that takes long on a server that responds', async () => {
    const server = await RedisServer.start();
    const clock = new VirtualClock();
    const { queue, troubles } = await testQueue(server, { clock });
    const { id } = await plannedRun(queue);
    server.command('CONFIG', 'SET', 'maxmemory', '1');
    const reported = queue.report(id, { id: 'worker', items: 1 });
    await vi.waitFor(() => expect(troubles).toHaveLength(1), 10_000);
    server.command('CONFIG', 'SET', 'maxmemory', '0');
    const snapshot = queue.snapshot(id);
    clock.advance(4_500);
    await Promise.all([snapshot, reported]);
    clock.advance(10_000);
    expect(troubles.map(({ kind }) => kind)).toEqual(['refused', 'accepted']);
  });

  it.each<[string, number, (url: string) => string, (server: RedisServer) => unknown]>([
    [
      'hangs',
      5_000,
      (url) => `${url} has not responded for 10 s`,
      ({ pid }) => process.kill(pid, 'SIGSTOP'),
    ],
    [
      'is away',
      0,
      (url) => `there was no connection to ${url} for 10 s`,
      (server) => server.kill(),
    ],
    [
      'is full',
      0,
      (url) => `${url} has refused commands for 10 s: its memory is full (OOM)`,
      (server) => server.command('CONFIG', 'SET', 'maxmemory', '1'),
    ],
  ])(
    'ends every operation after its patience with a server that %s',
    async (_what, noticedMs, why, begin) => {
      const server = await RedisServer.start();
      const clock = new VirtualClock();
      const { queue, troubles } = await testQueue(server, { clock, patienceMs: 10_000 });
      const { id } = await plannedRun(queue);
      await begin(server);
      const reported = queue.report(id, { id: 'worker', items: 1 });
      const end = {
        exitCode: 2,
        message: `${why(queue.url)}; run the same command again when that is over`,
      };
      const ended = expect(reported).rejects.toMatchObject(end);
      clock.advance(noticedMs);
      await vi.waitFor(() => expect(troubles).toHaveLength(1), 10_000);
      clock.advance(10_000 - noticedMs);
      await ended;
      await expect(queue.snapshot(id)).rejects.toMatchObject(end);
    },
  );

  it('repeats a commit that a full server refuses, and stores it once', async () => {
    const server = await RedisServer.start();
    const { queue, troubles } = await testQueue(server);
    const { id: run } = await plannedRun(queue, testPlan([{ size: 10 }]));
    const worker = await testWorker(queue, run, 'ranges');
    const job = await worker.getNextJob('token');
    server.command('CONFIG', 'SET', 'maxmemory', '1');
    const item: ItemRef = { run, kind: 'ranges', id: job.id!, token: 'token' };
    const stored = queue.commit(item, testCommit(1, 7));
    await vi.waitFor(() => expect(troubles).toHaveLength(1), 10_000);
    server.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(await stored).toBe('stored');
    expect((await queue.snapshot(run))!.stats).toEqual({ delivered: 7 });
    expect(troubles).toEqual([
      {
        kind: 'refused',
        message: `${queue.url} refuses commands: its memory is full (OOM); trying again each second`,
      },
      { kind: 'accepted', message: `${queue.url} accepts commands again` },
    ]);
  });

  it('waits with the verification of a run while the server is full', async () => {
    const server = await RedisServer.start();
    const { queue, troubles } = await testQueue(server);
    const { id } = await plannedRun(queue);
    server.command('CONFIG', 'SET', 'maxmemory', '1');
    const verified = queue.verify(id);
    await vi.waitFor(() => expect(troubles).toHaveLength(1), 10_000);
    server.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(await verified).toMatchObject({ differences: [] });
    expect(troubles.map(({ kind }) => kind)).toEqual(['refused', 'accepted']);
  });

  it('is an error for a plan that a full or read-only server refuses', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    const full = {
      code: 'state_not_written',
      exitCode: 6,
      message: expect.stringMatching(
        /^cannot write the plan: redis:\S+ refuses commands: its memory is full/,
      ) as string,
    };
    server.command('CONFIG', 'SET', 'maxmemory', '1');
    await expect(queue.join('new', testPlan(), 'a', false)).rejects.toMatchObject(full);
    await expect(queue.addRanges(id, ranges)).rejects.toMatchObject(full);
    await expect(queue.endPlanning(id, 4)).rejects.toMatchObject(full);
    server.command('CONFIG', 'SET', 'maxmemory', '0');
    server.command('REPLICAOF', '127.0.0.1', '1');
    await expect(queue.addRanges(id, ranges)).rejects.toThrow('read-only replica (READONLY)');
    server.command('REPLICAOF', 'NO', 'ONE');
    expect(await queue.snapshot(id)).toMatchObject({ ranges: { total: 3 } });
  });

  it('can be closed while the server is away', async () => {
    const server = await RedisServer.start();
    const { queue, troubles } = await testQueue(server);
    await queue.subscribe('history-1', () => undefined);
    await server.kill();
    await vi.waitFor(() => expect(troubles).toHaveLength(1), 10_000);
    const waiting = queue.list();
    const ended = expect(waiting).rejects.toThrow(`the connection to ${queue.url} was closed`);
    await queue.close();
    await ended;
  });

  it('keeps no process alive once it is closed', async () => {
    const clock = new VirtualClock();
    const { queue } = await testQueue(await RedisServer.start(), { clock });
    await queue.close();
    expect(clock.waits).toEqual([]);
  });

  it('is closed although the server does not respond', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await queue.join('same', testPlan(), 'a', false);
    process.kill(server.pid, 'SIGSTOP');
    try {
      const pending = expect(queue.snapshot(id)).rejects.toThrow('was closed');
      await queue.close();
      await pending;
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
  });

  it.each<[string, (queue: QueueServer, run: string) => Promise<unknown>]>([
    ['a snapshot', (queue, run) => queue.snapshot(run)],
    ['the list of runs', (queue) => queue.list()],
    ['a change of status', (queue, run) => queue.pause(run, null)],
    ['a removal', (queue, run) => queue.remove(run)],
    ['new ranges', (queue, run) => queue.addRanges(run, ranges)],
  ])('ends %s with one line when the password was changed', async (_what, use) => {
    const server = await RedisServer.start({ requirepass: 'before' });
    const { queue } = await testQueue({ url: server.url.replace('//', '//:before@') });
    const { id } = await plannedRun(queue);
    server.changePassword('after');
    await expect(use(queue, id)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('does not accept the login any more') as string,
    });
    await expect(use(queue, id)).rejects.toMatchObject({ exitCode: 2 });
  });
});
