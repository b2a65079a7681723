import { describe, expect, it, vi } from 'vitest';
import { followServerClock } from '../../../src/importer/shared/follow-server-clock.js';
import { plannedRun, testPlan, testQueue, testWorker } from '../../helpers/queue.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';

const dayMs = 24 * 3_600_000;

describe.skipIf(!hasTool('redis-server'))('removing runs', () => {
  it('leaves no key of the run and touches no other one', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const other = await testQueue(server, { prefix: 'other' });
    const kept = await plannedRun(other.queue);
    const { id } = await plannedRun(queue);
    await expect(queue.remove(id)).rejects.toThrow(
      `run ${id} is running; stop it first: evfwd runs cancel ${id}`,
    );
    await queue.report(id, { id: 'host-1', items: 1 });
    await queue.notify(id, 0, { kind: 'gone' });
    await queue.pause(id, null);
    await queue.remove(id);
    expect(await queue.find(id)).toBeUndefined();
    expect(server.command('KEYS', 'evfwd:*')).toBe('');
    expect(await other.queue.snapshot(kept.id)).toMatchObject({ ranges: { total: 3 } });
    await expect(queue.addRanges(id, new Map())).rejects.toThrow(`there is no run ${id}`);
  });

  it('happens by itself 7 days after the end, and keeps the pointer of a newer run', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const old = await queue.join('same', testPlan(), 'a', false);
    const fresh = await queue.join('same', testPlan(), 'a', true);
    const young = await queue.join('another', testPlan(), 'b', false);
    await queue.cancel(young.id);
    const endedAt = (days: number) => String(Math.floor(queue.now() - days * dayMs));
    server.command('HSET', `evfwd:run:${old.id}`, 'endedAt', endedAt(7.01));
    server.command('HSET', `evfwd:run:${young.id}`, 'endedAt', endedAt(6.99));
    await queue.removeExpired();
    expect((await queue.list()).map(({ id }) => id)).toEqual([fresh.id, young.id]);
    expect(await queue.join('same', testPlan(), 'a', false)).toEqual(fresh);
  });

  it('relieves a server that is full, of runs that were stopped as well', async () => {
    const server = await RedisServer.start();
    const { queue, troubles } = await testQueue(server);
    const [cancelled, paused] = [await plannedRun(queue), await plannedRun(queue)];
    server.command('CONFIG', 'SET', 'maxmemory', '1');
    expect(await queue.cancel(cancelled.id)).toBe(true);
    expect(await queue.pause(paused.id, 'too many failures')).toBe(true);
    expect(await queue.find(paused.id)).toMatchObject({ stopReason: 'too many failures' });
    await queue.remove(cancelled.id);
    await queue.remove(paused.id);
    expect(server.command('KEYS', '*')).toBe('');
    expect(troubles).toEqual([]);
  });

  it('removes what a worker that slept has brought back, when it leaves', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    const worker = await testWorker(queue, id, 'ranges');
    await worker.waitUntilReady();
    await queue.cancel(id);
    await queue.remove(id);
    await worker.startStalledCheckTimer();
    const keys = () => server.command('KEYS', '*').split('\n').sort();
    const broughtBack = ['meta', 'stalled-check'].map((name) => `evfwd:${id}-ranges:${name}`);
    await vi.waitFor(() => expect(keys()).toEqual(broughtBack), 10_000);
    await queue.leave(id, 'host-1');
    expect(keys()).toEqual(['']);
  });

  it('lets a worker leave a run that is there, and its queues as they are', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    await queue.report(id, { id: 'host-1', items: 1 });
    await queue.leave(id, 'host-1');
    expect((await queue.snapshot(id))!.workers).toEqual([]);
    expect(server.command('EXISTS', `evfwd:${id}-ranges:meta`)).toBe('1');
  });

  it('is left for later, without a line, on a server that is read-only', async () => {
    const server = await RedisServer.start();
    const { queue, troubles } = await testQueue(server);
    const { id } = await plannedRun(queue);
    await queue.cancel(id);
    const endedAt = String(Math.floor(queue.now() - 8 * dayMs));
    server.command('HSET', `evfwd:run:${id}`, 'endedAt', endedAt);
    server.command('REPLICAOF', '127.0.0.1', '1');
    await queue.removeExpired();
    expect(troubles).toEqual([]);
    server.command('REPLICAOF', 'NO', 'ONE');
    await queue.removeExpired();
    expect(await queue.find(id)).toBeUndefined();
  });
});

describe('following the clock of the server', () => {
  it('replaces Date.now by whole milliseconds until it is undone', () => {
    const original = Date.now;
    const undo = followServerClock(() => 1_234.9);
    expect(Date.now()).toBe(1_234);
    undo();
    expect(Date.now).toBe(original);
  });
});
