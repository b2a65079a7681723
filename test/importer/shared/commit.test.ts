import { describe, expect, it } from 'vitest';
import type { ItemRef, RetryBatch } from '../../../src/importer/shared/item.js';
import type { QueueServer } from '../../../src/importer/shared/queue-server.js';
import { plannedRun, testCommit, testPlan, testQueue, testWorker } from '../../helpers/queue.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';

const onePlan = testPlan([{ size: 1_000 }]);

async function takenItem() {
  const server = await RedisServer.start();
  const { queue } = await testQueue(server);
  const { id: run } = await plannedRun(queue, onePlan);
  const worker = await testWorker(queue, run, 'ranges');
  const job = await worker.getNextJob('token-1');
  const item: ItemRef = { run, kind: 'ranges', id: job.id!, token: 'token-1' };
  return { server, queue, run, worker, job, item };
}

function batch(dueAt: number, text: Buffer | null = null): RetryBatch {
  const row = {
    ...{ id: 1, dueAt, delayMs: 10, file: 0, line: 3, offset: 20, length: 10, part: 0 },
    ...{ hash: 'abc', text, givenId: null, user: 'u', endpointDeliveries: [] },
    stamp: { messageId: 'm', writesMessageId: false },
  };
  return { dueAt, rows: [row] };
}

async function delivered(queue: QueueServer, run: string) {
  return (await queue.snapshot(run))!.stats.delivered;
}

describe.skipIf(!hasTool('redis-server'))('a commit', () => {
  it('stores progress, totals, dead letters and retries in one step', async () => {
    const { queue, run, item, server } = await takenItem();
    const letters = [Buffer.from('{"a":1}\n'), Buffer.from('{"b":"ü"}\n')];
    const putRetries = new Map([['0-0-1-0', batch(5_000, Buffer.from([0, 255, 10]))]]);
    const commit = testCommit(1, 7, { deadLetters: letters, putRetries });
    const stats = { delivered: 7, 'reason:http_500': 2, rejected: 0 };
    expect(await queue.commit(item, { ...commit, stats, latency: { 7: 2, 900: 1 } })).toBe(
      'stored',
    );
    const snapshot = (await queue.snapshot(run))!;
    expect(snapshot.stats).toEqual({ delivered: 7, 'reason:http_500': 2 });
    expect([...snapshot.latency.counts.entries()].filter(([, count]) => count > 0)).toEqual([
      [7, 2],
      [900, 1],
    ]);
    expect(await queue.deadLetters(run, 0, 10)).toEqual(letters);
    expect(await queue.deadLetters(run, 1, 1)).toEqual([letters[1]]);
    expect(await queue.deadLetters(run, 0, 0)).toEqual([]);
    expect(await queue.retryBatch(run, '0-0-1-0')).toEqual(putRetries.get('0-0-1-0'));
    expect(server.command('HGET', `evfwd:run:${run}:retries`, '0-0-1-0')).toContain('"AP8K"');
    const stored = server.command('HGET', `evfwd:${run}-ranges:0-0`, 'progress');
    expect(JSON.parse(stored)).toEqual(commit.progress);
  });

  it('has dead letters that are read in pages of few bytes, none of them empty', async () => {
    const { queue, run, item } = await takenItem();
    const letters = [900_000, 900_000, 900_000, 900_000, 900_000, 10, 10].map((size, n) =>
      Buffer.alloc(size, n),
    );
    await queue.commit(item, testCommit(1, 7, { deadLetters: letters }));
    const read: Buffer[] = [];
    const sizes: number[] = [];
    for (;;) {
      const page = await queue.deadLetters(run, read.length, 100);
      if (page.length === 0) break;
      read.push(...page);
      sizes.push(page.length);
    }
    expect(read.map((line, n) => line.equals(letters[n]!))).toEqual(letters.map(() => true));
    expect(sizes).toEqual([4, 3]);
  });

  it('that was stored already is stored, without being counted again', async () => {
    const { queue, run, item } = await takenItem();
    expect(await queue.commit(item, testCommit(1, 7))).toBe('stored');
    expect(await queue.commit(item, testCommit(1, 7))).toBe('stored');
    expect(await queue.commit(item, testCommit(2, 7))).toBe('stored');
    expect(await delivered(queue, run)).toBe(14);
  });

  it('is lost when an earlier one is missing, or the lock is of somebody else', async () => {
    const { queue, run, item } = await takenItem();
    expect(await queue.commit(item, testCommit(2, 7))).toBe('lost');
    expect(await queue.commit({ ...item, token: 'other' }, testCommit(1, 7))).toBe('lost');
    expect(await queue.commit(item, testCommit(1, 7))).toBe('stored');
    expect(await queue.commit(item, testCommit(1, 7))).toBe('stored');
    expect(await delivered(queue, run)).toBe(7);
  });

  it('is lost after the run was removed, and leaves nothing behind', async () => {
    const { queue, run, item, server } = await takenItem();
    await queue.cancel(run);
    await queue.remove(run);
    expect(await queue.commit(item, testCommit(1, 7))).toBe('lost');
    await queue.report(run, { id: 'host-1', items: 1 });
    await queue.notify(run, 0, { kind: 'gone' });
    await queue.scheduleRetries(run, ['0-0-1-0']);
    const keys = server.command('KEYS', '*').split('\n').filter(Boolean);
    // The lock ends by itself.
    expect(keys.filter((key) => !key.endsWith(':lock'))).toEqual([]);
  });

  it('with a change that is no integer is refused before anything is stored', async () => {
    const { queue, run, item } = await takenItem();
    const commit = { ...testCommit(1, 7), stats: { delivered: 1.5 } };
    await expect(queue.commit(item, commit)).rejects.toThrow('not an integer');
    expect(await delivered(queue, run)).toBeUndefined();
  });
});

describe.skipIf(!hasTool('redis-server'))('the retries of a run', () => {
  it('are due at their time by the clock of the server, once', async () => {
    const { queue, run, item, server } = await takenItem();
    const dueAt = Math.floor(queue.now()) + 100_000;
    const putRetries = new Map([
      ['later', batch(dueAt + 5_000)],
      ['soon', batch(dueAt)],
    ]);
    await queue.commit(item, testCommit(1, 1, { putRetries }));
    await queue.scheduleRetries(run, ['later', 'soon', 'done-before']);
    await queue.scheduleRetries(run, ['later', 'soon']);
    expect(server.command('ZCARD', `evfwd:${run}-retries:delayed`)).toBe('2');
    expect((await queue.snapshot(run))!.nextDueAt).toBe(dueAt);
  });

  it('keep a run from being finished until none is left', async () => {
    const { queue, run, item, job } = await takenItem();
    await queue.commit(item, testCommit(1, 1, { putRetries: new Map([['r', batch(0)]]) }));
    await queue.scheduleRetries(run, ['r']);
    await job.moveToCompleted(null, 'token-1', false);
    expect(await queue.finishIfDone(run)).toBe(false);
    const snapshot = (await queue.snapshot(run))!;
    expect(snapshot.nextDueAt).toBeLessThanOrEqual(queue.now());

    const retries = await testWorker(queue, run, 'retries');
    const retry = await retries.getNextJob('token-2');
    expect(retry.id).toBe('r');
    const ref: ItemRef = { run, kind: 'retries', id: 'r', token: 'token-2' };
    expect(await queue.commit(ref, testCommit(1, 3, { deleteRetry: 'r' }))).toBe('stored');
    await retry.moveToCompleted(null, 'token-2', false);
    expect(await queue.retryBatch(run, 'r')).toBeUndefined();
    expect(await queue.finishIfDone(run)).toBe(true);
    expect(await queue.finishIfDone(run)).toBe(true);
    const end = (await queue.snapshot(run))!;
    expect(end.record).toMatchObject({ status: 'finished', endedAt: expect.any(Number) });
    expect(end.ranges).toEqual({ total: 1, done: 1, failed: 0 });
    expect(end.stats.delivered).toBe(4);
    expect(await queue.cancel(run)).toBe(false);
    expect((await queue.verify(run)).differences).toEqual([]);
  });

  it('that have failed do not keep it from being finished, and are named', async () => {
    const { queue, run, item, job } = await takenItem();
    await queue.commit(item, testCommit(1, 1, { putRetries: new Map([['r', batch(0)]]) }));
    await queue.scheduleRetries(run, ['r']);
    await job.moveToCompleted(null, 'token-1', false);
    const retries = await testWorker(queue, run, 'retries');
    const retry = await retries.getNextJob('token-2');
    await retry.moveToFailed(new Error('/data/0.ndjson has changed'), 'token-2');
    expect(await queue.finishIfDone(run)).toBe(true);
    expect(await queue.snapshot(run)).toMatchObject({
      failedRetries: 1,
      problems: [{ file: '/data/0.ndjson', message: '/data/0.ndjson has changed', ranges: 1 }],
    });
  });
});
