import type { Job } from 'bullmq';
import { describe, expect, it } from 'vitest';
import type { ItemRef } from '../../../src/importer/shared/item.js';
import { rangesOf } from '../../../src/importer/shared/plan-ranges.js';
import type { QueueServer } from '../../../src/importer/shared/queue-server.js';
import { plannedRun, testCommit, testPlan, testQueue, testWorker } from '../../helpers/queue.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';

const nothing = { restoredRanges: 0, restoredRetries: 0, differences: [] };

/** Each range commits once; the first `failing` fail then. */
async function work(queue: QueueServer, run: string, failing: number): Promise<void> {
  const worker = await testWorker(queue, run, 'ranges');
  for (let n = 0; ; n++) {
    const token = `token-${n}`;
    // Declared as if there were always one.
    const job = (await worker.getNextJob(token, { block: false })) as Job | undefined;
    if (!job) return;
    const item: ItemRef = { run, kind: 'ranges', id: job.id!, token };
    const { sequence } = job.progress as unknown as { sequence?: number };
    expect(await queue.commit(item, testCommit((sequence ?? 0) + 1, 5))).toBe('stored');
    if (n < failing) await job.moveToFailed(new Error('the file has changed'), token);
    else await job.moveToCompleted(null, token, false);
  }
}

describe.skipIf(!hasTool('redis-server'))('verifying a run', () => {
  it('changes nothing where nothing is wrong', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    expect(await queue.verify(id)).toEqual(nothing);
    await work(queue, id, 0);
    expect(await queue.finishIfDone(id)).toBe(true);
    const before = await queue.snapshot(id);
    expect(await queue.verify(id)).toEqual(nothing);
    expect(await queue.snapshot(id)).toEqual(before);
  });

  it('puts back ranges that failed, which go on where they were, in a run that goes on', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    await work(queue, id, 2);
    expect(await queue.finishIfDone(id)).toBe(true);
    expect(await queue.snapshot(id)).toMatchObject({
      ranges: { total: 3, done: 1, failed: 2 },
      problems: [{ file: '/data/0.ndjson', message: 'the file has changed', ranges: 2 }],
    });
    await queue.notify(id, 0, { kind: 'down', sinceMs: queue.now() });
    expect(await queue.verify(id)).toEqual({ ...nothing, restoredRanges: 2 });
    expect(await queue.find(id)).toMatchObject({ status: 'running', endedAt: null });
    expect(await queue.notices(id)).toEqual([]);
    expect(await queue.finishIfDone(id)).toBe(false);
    await work(queue, id, 0);
    expect(await queue.finishIfDone(id)).toBe(true);
    const end = await queue.snapshot(id);
    expect(end).toMatchObject({ ranges: { total: 3, done: 3, failed: 0 }, problems: [] });
    expect(end!.stats.delivered).toBe(25);
    expect(await queue.verify(id)).toEqual(nothing);
  });

  it('adds ranges that are not there, of a planner that was killed too', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const plan = testPlan();
    const { id } = await queue.join('same', plan, 'history', false);
    await queue.addRanges(id, new Map([...rangesOf(plan)].slice(0, 1)));
    expect(await queue.verify(id)).toEqual({ ...nothing, restoredRanges: 2 });
    expect(await queue.snapshot(id)).toMatchObject({ record: { total: 3 }, ranges: { total: 3 } });
    await work(queue, id, 0);
    expect(await queue.finishIfDone(id)).toBe(true);

    server.command('DEL', `evfwd:${id}-ranges:0-8388608`);
    expect(await queue.verify(id)).toEqual({
      ...nothing,
      restoredRanges: 1,
      differences: [['delivered', 15, 10]],
    });
    expect(await queue.find(id)).toMatchObject({ status: 'running' });
    expect(await queue.finishIfDone(id)).toBe(false);
  });

  it('schedules retry batches again, and compares the totals with all items', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id: run } = await plannedRun(queue, testPlan([{ size: 10 }]));
    const worker = await testWorker(queue, run, 'ranges');
    const job = await worker.getNextJob('token');
    const putRetries = new Map([['r', { dueAt: 0, rows: [] }]]);
    const item: ItemRef = { run, kind: 'ranges', id: job.id!, token: 'token' };
    await queue.commit(item, testCommit(1, 1, { putRetries }));
    await job.moveToCompleted(null, 'token', false);
    expect(await queue.verify(run)).toEqual({ ...nothing, restoredRetries: 1 });
    expect(await queue.verify(run)).toEqual(nothing);

    const retries = await testWorker(queue, run, 'retries');
    const retry = await retries.getNextJob('token');
    await retry.moveToFailed(new Error('gone'), 'token');
    expect(await queue.finishIfDone(run)).toBe(true);
    expect(await queue.verify(run)).toEqual({ ...nothing, restoredRetries: 1 });
    expect(await queue.find(run)).toMatchObject({ status: 'running' });

    server.command('HINCRBY', `evfwd:run:${run}:stats`, 'failed', '3');
    expect((await queue.verify(run)).differences).toEqual([['failed', 3, 0]]);
  });

  it('puts no batch back whose job is being made, or that is done meanwhile', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id: run } = await plannedRun(queue, testPlan([{ size: 10 }]));
    const worker = await testWorker(queue, run, 'ranges');
    const job = await worker.getNextJob('token');
    const batch = { dueAt: 0, rows: [] };
    const putRetries = new Map([
      ['made', batch],
      ['done', batch],
    ]);
    const item: ItemRef = { run, kind: 'ranges', id: job.id!, token: 'token' };
    await queue.commit(item, testCommit(1, 1, { putRetries }));
    const verified = queue.verify(run);
    await queue.scheduleRetries(run, ['made']);
    server.command('HDEL', `evfwd:run:${run}:retries`, 'done');
    expect(await verified).toEqual(nothing);
  });

  it('is an error that names a run that is not there', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    await expect(queue.verify('nosuch-1')).rejects.toThrow(
      `there is no run nosuch-1 on ${server.url}; see evfwd runs`,
    );
  });
});
