import { describe, expect, it } from 'vitest';
import { rangesOf } from '../../../src/importer/shared/plan-ranges.js';
import { plannedRun, testPlan, testQueue } from '../../helpers/queue.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';

describe.skipIf(!hasTool('redis-server'))('a run on a server', () => {
  it('is one run for several planners at once', async () => {
    const server = await RedisServer.start();
    const queues = await Promise.all(Array.from({ length: 4 }, () => testQueue(server)));
    const records = await Promise.all(
      queues.map(({ queue }) => queue.join('same', testPlan(), 'Große Datei.ndjson', false)),
    );
    const ids = new Set(records.map(({ id }) => id));
    expect(ids.size).toBe(1);
    expect([...ids][0]).toMatch(/^gro-e-datei-ndjson-[0-9a-f]{8}$/);
    const [listed] = await queues[0]!.queue.list();
    expect({ ...listed, plan: records[0]!.plan }).toEqual(records[0]);
    expect(listed).not.toHaveProperty('plan');
  });

  it('keeps the plan that it is made from, and stores it for others', async () => {
    const server = await RedisServer.start();
    const [{ queue }, other] = await Promise.all([testQueue(server), testQueue(server)]);
    const plan = testPlan(Array.from({ length: 2_001 }, () => ({})));
    const { id, plan: kept } = await queue.join('same', plan, 'a', false);
    expect(kept).toBe(plan);
    expect((await other.queue.find(id))!.plan).toEqual(plan);
    const own = { ...plan, seed: 'other' };
    expect((await other.queue.join('same', own, 'a', false)).plan).toEqual(plan);
  });

  it.each([
    ['History 2026', /^history-2026-[0-9a-f]{8}$/],
    ['größe:1', /^gro-e-1-[0-9a-f]{8}$/],
    ['ä', /^a-[0-9a-f]{8}$/],
    ['a'.repeat(99), /^a{24}-[0-9a-f]{8}$/],
  ])('with the name %s has an id of letters, digits and dashes', async (name, id) => {
    const { queue } = await testQueue(await RedisServer.start());
    expect((await queue.join('identity', testPlan(), name, false)).id).toMatch(id);
  });

  it('has the ranges of its plan once, however often they are planned', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const plan = testPlan([{}, { isWhole: true }, { size: 0 }]);
    const run = await plannedRun(queue, plan);
    await queue.addRanges(run.id, new Map(rangesOf(plan)));
    const snapshot = await queue.snapshot(run.id);
    expect(snapshot).toMatchObject({
      record: { total: 4, status: 'running', stopReason: null, endedAt: null, plan },
      ranges: { total: 4, done: 0, failed: 0 },
      nextDueAt: Infinity,
      workers: [],
      problems: [],
    });
    expect(server.command('LLEN', `evfwd:${run.id}-ranges:wait`)).toBe('4');
  });

  it.each([
    ['{"format":99,"program":"9.9.9","files":"elsewhere"}', 99, '9.9.9'],
    ['not JSON', 0, 'unknown version'],
    ['null', 0, 'unknown version'],
    [undefined, 0, 'unknown version'],
  ])('is found, and joined, with a plan that cannot be read: %s', async (text, format, program) => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await queue.join('same', testPlan(), 'a', false);
    const key = `evfwd:run:${id}`;
    if (text === undefined) server.command('HDEL', key, 'plan');
    else server.command('HSET', key, 'plan', text);
    const other = (await testQueue(server)).queue;
    expect(await other.join('same', testPlan(), 'a', false)).toMatchObject({
      ...{ id, status: 'running' },
      plan: { format, program, files: [] },
    });
    expect(await other.list()).toMatchObject([{ id }]);
    await expect(other.verify(id)).rejects.toThrow(
      `run ${id} was planned by evfwd ${program}, in a format that this version does not know`,
    );
    expect((await other.join('same', testPlan(), 'a', true)).plan).toEqual(testPlan());
    expect(await other.find(id)).toMatchObject({ status: 'cancelled' });
  });

  it('is replaced by a fresh one, which cancels it', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const first = await queue.join('same', testPlan(), 'a', false);
    const second = await queue.join('same', testPlan(), 'a', true);
    expect(second.id).not.toBe(first.id);
    expect(await queue.find(first.id)).toMatchObject({ status: 'cancelled' });
    expect(await queue.join('same', testPlan(), 'a', false)).toEqual(second);
  });

  it('is announced when it is made, and when it goes on', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const other = await testQueue(server);
    let heard: () => void = () => undefined;
    const next = (): Promise<void> => new Promise((resolve) => (heard = resolve));
    // Also called once the connection that listens is ready.
    let calls = 0;
    await other.queue.subscribeToRuns(() => {
      calls++;
      heard();
    });
    while (calls === 0) await next();
    const made = next();
    const { id } = await queue.join('one', testPlan(), 'a', false);
    await made;
    await queue.pause(id, null);
    const resumed = next();
    await queue.resume(id);
    await resumed;
    expect(calls).toBe(3);
  });

  it('changes its status only where that makes sense', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    expect(await queue.resume(id)).toBe(false);
    expect(await queue.pause(id, 'too many failures')).toBe(true);
    expect(await queue.find(id)).toMatchObject({
      status: 'paused',
      stopReason: 'too many failures',
    });
    expect(await queue.pause(id, null)).toBe(false);
    expect(await queue.resume(id)).toBe(true);
    expect(await queue.find(id)).toMatchObject({ status: 'running', stopReason: null });
    expect(await queue.cancel(id)).toBe(true);
    const { endedAt } = (await queue.find(id))!;
    expect(Math.abs(endedAt! - queue.now())).toBeLessThan(60_000);
    expect(await queue.resume(id)).toBe(false);
    expect(await queue.cancel('no-such-run')).toBe(false);
    expect(await queue.find('no:such*run')).toBeUndefined();
  });

  it('takes less than 5 MB for 1,000 ranges', async () => {
    const server = await RedisServer.start();
    const used = () => Number(/used_memory:(\d+)/.exec(server.command('INFO', 'memory'))![1]);
    const { queue } = await testQueue(server);
    await plannedRun(queue, testPlan([{ size: 1_000 * 8 * 2 ** 20 }]));
    expect((await queue.list())[0]!.total).toBe(1_000);
    expect(used()).toBeLessThan(5_000_000);
  });
});
