import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ItemKind, ItemRef, RetryBatch } from '../../../../src/importer/shared/item.js';
import { loadQueuePackages } from '../../../../src/importer/shared/packages.js';
import { ItemTaker } from '../../../../src/importer/shared/worker/item-taker.js';
import { folderWith } from '../../../helpers/folder.js';
import { itemContext } from '../../../helpers/item-context.js';
import { planOf, plannedRun } from '../../../helpers/planned-run.js';
import { events } from '../../../helpers/process.js';
import { testCommit, testQueue, testWorker } from '../../../helpers/queue.js';
import { RedisServer } from '../../../helpers/redis-server.js';
import { hasTool } from '../../../helpers/tools.js';
import { receiverOfEachTest } from '../../../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

function batch(dueAt: number): RetryBatch {
  const row = {
    ...{ id: 1, dueAt, delayMs: 10, file: 0, line: 1, offset: 0, length: 10, part: 0 },
    ...{ hash: 'h', text: null, givenId: null, user: 'u', endpointDeliveries: [] },
    stamp: { messageId: 'm', writesMessageId: false },
  };
  return { dueAt, rows: [row] };
}

/** A run of one range, and an item of it that a worker holds. */
async function heldItem(kind: ItemKind) {
  const redis = await RedisServer.start();
  const { queue } = await testQueue(redis);
  const path = join(folderWith({ 'a.ndjson': events(3) }), 'a.ndjson');
  const record = await plannedRun(queue, { plan: planOf([path], at.receiver.url) });
  const { id: run } = record;
  const ranges = await testWorker(queue, run, 'ranges');
  const range = await ranges.getNextJob('token-0');
  const ofRange: ItemRef = { run, kind: 'ranges', id: range.id!, token: 'token-0' };
  const kept = { redis, queue, record, run, path };
  if (kind === 'ranges') return { ...kept, worker: ranges, job: range, item: ofRange };
  await queue.commit(ofRange, testCommit(1, 0, { putRetries: new Map([['r', batch(0)]]) }));
  await queue.scheduleRetries(run, ['r']);
  const worker = await testWorker(queue, run, 'retries');
  const job = await worker.getNextJob('token-0');
  const item: ItemRef = { run, kind, id: 'r', token: 'token-0' };
  return { ...kept, worker, job, item };
}

describe.skipIf(!hasTool('redis-server'))('whoever takes an item next', () => {
  it.each<ItemKind>(['ranges', 'retries'])(
    'adds the jobs of retries that a crash has left out (%s)',
    async (kind) => {
      const { redis, queue, record, run, path, worker, job, item } = await heldItem(kind);
      const putRetries = new Map([['x', batch(queue.now() + 3_600_000)]]);
      const size = statSync(path).size;
      const { progress, ...changes } = testCommit(1, 0, {
        putRetries,
        ...(kind === 'retries' && { deleteRetry: 'r' }),
      });
      // All is read, so that the next one has nothing else to do.
      const last = { line: 3, offset: size - 1, length: 0 };
      const handedOn = { ...progress, ...(kind === 'ranges' && { last }), handedOn: ['x'] };
      expect(await queue.commit(item, { ...changes, progress: handedOn })).toBe('stored');
      const isThere = () => redis.command('EXISTS', `evfwd:${run}-retries:x`);
      expect(isThere()).toBe('0');
      // The worker ends here: its lock is released.
      await job.moveToWait('token-0');
      const taken = await worker.getNextJob('token-1');
      expect(taken.id).toBe(item.id);
      const { bullmq } = loadQueuePackages();
      const nothing = () => undefined;
      const context = itemContext(queue, record, [at.receiver.url]);
      const taker = new ItemTaker({
        ...{ context, bullmq, onItem: nothing, onProblem: nothing, onFailure: nothing },
      });
      await taker.take(kind, taken, 'token-1', new AbortController().signal);
      expect(isThere()).toBe('1');
      expect(redis.command('ZCARD', `evfwd:${run}-retries:delayed`)).toBe('1');
    },
  );

  it.each<ItemKind>(['ranges', 'retries'])(
    'counts takeovers from the last commit on (%s)',
    async (kind) => {
      const { redis, queue, run, item } = await heldItem(kind);
      const job = `evfwd:${run}-${kind}:${item.id}`;
      redis.command('HSET', job, 'stc', '7');
      expect(await queue.commit({ ...item, token: 'other' }, testCommit(1, 1))).toBe('lost');
      expect(redis.command('HGET', job, 'stc')).toBe('7');
      expect(await queue.commit(item, testCommit(1, 1))).toBe('stored');
      expect(redis.command('HGET', job, 'stc')).toBe('');
    },
  );

  it('counts takeovers anew after runs verify has put the item back', async () => {
    const { redis, queue, run, item, job, worker } = await heldItem('ranges');
    const key = `evfwd:${run}-ranges:${item.id}`;
    redis.command('HSET', key, 'stc', '11');
    await job.moveToFailed(new Error('too often'), 'token-0');
    expect(await queue.verify(run)).toMatchObject({ restoredRanges: 1 });
    const taken = await worker.getNextJob('token-1');
    expect([taken.id, taken.stalledCounter]).toEqual([item.id, 0]);
  });
});
