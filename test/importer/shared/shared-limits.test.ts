import { describe, expect, it, vi } from 'vitest';
import type { EndpointNotice } from '../../../src/delivery/endpoint-notice.js';
import { leaseScript } from '../../../src/importer/shared/scripts/lease.js';
import type { RunMessage } from '../../../src/importer/shared/queue-server.js';
import { plannedRun, testPlan, testQueue } from '../../helpers/queue.js';
import { RedisServer } from '../../helpers/redis-server.js';
import { hasTool } from '../../helpers/tools.js';

function setBucket(server: RedisServer, bucket: string, at: number): void {
  server.command('HSET', bucket, 'due', String(at), 'free', String(at));
}

describe.skipIf(!hasTool('redis-server'))('the rate of a run', () => {
  it.each([
    [10, 1],
    [150, 1],
    [1_000, 10],
    [33_333, 333],
    [100_000, 1_000],
  ])(
    'of %i per second is a schedule without gaps or overlaps over six clients',
    async (rate, turns) => {
      const server = await RedisServer.start();
      const queues = await Promise.all(Array.from({ length: 6 }, () => testQueue(server)));
      const { queue } = queues[0]!;
      const { id } = await plannedRun(queue);
      expect(await queue.lease(id, rate, 0)).toEqual({ inMs: 0, turns, intervalMs: 1_000 / rate });
      // Ahead of the clock, so that no client of a busy machine comes too late for the next turn.
      const bucket = `evfwd:run:${id}:bucket`;
      const startMs = Math.floor(queue.now()) + 5_000;
      setBucket(server, bucket, startMs * 1_000);
      const leaseMs = (turns * 1_000) / rate;
      const leases = Math.floor(Math.min(120, 4_000 / leaseMs));
      await Promise.all(
        Array.from({ length: leases }, (_, n) => queues[n % 6]!.queue.lease(id, rate, 0)),
      );
      // All leases one after the other: none overlaps another, and no time between them is lost.
      const end = Number(server.command('HGET', bucket, 'due')) / 1_000;
      expect(end - startMs).toBeCloseTo(leases * leaseMs, 1);
    },
  );

  it('is not made up for after a break, and survives a clock that was set back', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    const bucket = `evfwd:run:${id}:bucket`;
    const past = Math.floor((queue.now() - 60_000) * 1_000);
    setBucket(server, bucket, past);
    // One turn a second: a busy machine needs longer than the turns of a quick rate.
    expect((await queue.lease(id, 1, 0)).inMs).toBe(0);
    expect((await queue.lease(id, 1, 0)).inMs).toBeGreaterThan(0);
    const future = Math.floor((queue.now() + 3_600_000) * 1_000);
    setBucket(server, bucket, future);
    expect((await queue.lease(id, 1, 0)).inMs).toBe(0);
  });

  it('is caught up slowly when turns were not used', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    const startMs = Math.floor(queue.now()) + 5_000;
    const bucket = `evfwd:run:${id}:bucket`;
    setBucket(server, bucket, startMs * 1_000);
    await queue.returnTurns(id, 1_000, 100);
    const first = await queue.lease(id, 1_000, 0);
    const second = await queue.lease(id, 1_000, 0);
    // 10 turns at 3 % above the rate; timers of the machine do not matter here.
    const [due, free] = server.command('HMGET', bucket, 'due', 'free').split('\n').map(Number);
    expect([first.turns, second.turns]).toEqual([10, 10]);
    expect(due! / 1_000 - startMs).toBeCloseTo(20 - 100, 1);
    expect(free! / 1_000 - startMs).toBeCloseTo(20 / 1.03, 1);
  });

  it('credits turns that were not used once, when a call is sent again after a reconnect', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    const bucket = `evfwd:run:${id}:bucket`;
    const startMs = Math.floor(queue.now()) + 5_000;
    setBucket(server, bucket, startMs * 1_000);
    const due = () => Number(server.command('HGET', bucket, 'due')) / 1_000;
    const call = (...args: string[]) =>
      server.command('EVAL', leaseScript.lua, '1', bucket, '1000', ...args);
    for (const client of ['one', 'other']) {
      const before = due();
      call('0', '50', client, '7');
      call('0', '50', client, '7');
      call('0', '50', client, '6');
      expect(due()).toBeCloseTo(before - 50, 1);
      call('0', '50', client, '8');
      expect(due()).toBeCloseTo(before - 100, 1);
    }
    const before = due();
    await queue.returnTurns(id, 1_000, 10);
    await queue.returnTurns(id, 1_000, 10);
    expect(due()).toBeCloseTo(before - 20, 1);
    expect(Number(server.command('PTTL', bucket))).toBeGreaterThan(50_000);
  });

  it('of a URL that is down is one probe a second over all workers', async () => {
    const server = await RedisServer.start();
    const [one, other] = await Promise.all([testQueue(server), testQueue(server)]);
    const { id } = await plannedRun(one.queue);
    const may = await Promise.all([
      ...Array.from({ length: 5 }, () => one.queue.mayProbe(id, 0)),
      ...Array.from({ length: 5 }, () => other.queue.mayProbe(id, 0)),
    ]);
    expect(may.filter(Boolean)).toHaveLength(1);
    expect(await other.queue.mayProbe(id, 1)).toBe(true);
    const left = Number(server.command('PTTL', `evfwd:run:${id}:probe:1`));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(1_000);
  });
});

describe.skipIf(!hasTool('redis-server'))('notices of a run', () => {
  it('hold for later workers: a pause until its end, 410 for ever, down until up', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue, testPlan());
    const reason = { status: 503, error: null };
    const down: EndpointNotice = { kind: 'down', sinceMs: 1_700_000_000_000.5, reason };
    const up: EndpointNotice = { kind: 'up' };
    const untilMs = Math.floor(queue.now()) + 60_000;
    await queue.notify(id, 0, { kind: 'paused', untilMs });
    await queue.notify(id, 0, { kind: 'paused', untilMs: untilMs - 30_000 });
    await queue.notify(id, 1, { kind: 'paused', untilMs: queue.now() - 1 });
    await queue.notify(id, 1, { kind: 'gone' });
    await queue.notify(id, 1, down);
    await queue.notify(id, 2, down);
    await queue.notify(id, 2, up);
    expect(await queue.notices(id)).toEqual([
      { url: 0, notice: { kind: 'paused', untilMs } },
      { url: 1, notice: down },
      { url: 1, notice: { kind: 'gone' } },
    ]);
  });

  it('say since when a URL is down: the earliest, until it is up or the run is resumed', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    const down = (sinceMs: number) => queue.notify(id, 0, { kind: 'down', sinceMs });
    const since = async () =>
      (await queue.notices(id)).map(({ notice }) => notice.kind === 'down' && notice.sinceMs);
    for (const sinceMs of [2_000.5, 1_000.5, 3_000.5, 1_000.75]) await down(sinceMs);
    expect(await since()).toEqual([1_000.5]);
    await queue.notify(id, 0, { kind: 'up' });
    await down(3_000.5);
    expect(await since()).toEqual([3_000.5]);
    await queue.notify(id, 1, { kind: 'gone' });
    await queue.pause(id, null);
    expect(await since()).toEqual([3_000.5, false]);
    await queue.resume(id);
    expect(await queue.notices(id)).toEqual([{ url: 1, notice: { kind: 'gone' } }]);
  });

  it('reach all who listen, as does a change of the status, until they stop', async () => {
    const server = await RedisServer.start();
    const [one, other] = await Promise.all([testQueue(server), testQueue(server)]);
    const { id } = await plannedRun(one.queue);
    const heard: RunMessage[] = [];
    const stop = await other.queue.subscribe(id, (message) => heard.push(message));
    heard.length = 0;
    await one.queue.notify(id, 0, { kind: 'gone' });
    await one.queue.pause(id, null);
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    expect(heard).toEqual([
      { kind: 'notice', url: 0, notice: { kind: 'gone' } },
      { kind: 'status' },
    ]);
    server.command('PUBLISH', `evfwd:run:${id}:messages`, 'not ours');
    await stop();
    await one.queue.resume(id);
    expect(server.command('PUBSUB', 'NUMSUB', `evfwd:run:${id}:messages`)).toMatch(/\n0$/);
    expect(heard).toHaveLength(2);
  });

  it('that were missed while the connection was lost are replaced by one of the status', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    const heard: RunMessage[] = [];
    await queue.subscribe(id, (message) => heard.push(message));
    heard.length = 0;
    await server.kill();
    await server.start();
    await vi.waitFor(() => expect(heard).toEqual([{ kind: 'status' }]), 10_000);
    await vi.waitFor(() => {
      server.command('PUBLISH', `evfwd:run:${id}:messages`, '{"kind":"status"}');
      expect(heard.length).toBeGreaterThan(1);
    }, 10_000);
  });
});

describe.skipIf(!hasTool('redis-server'))('the workers of a run', () => {
  it('are those that have reported in the last seconds', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    await queue.report(id, { id: 'host-1', items: 2 });
    await queue.report(id, { id: 'host-2', items: 0 });
    const ago = (ms: number) => String(Math.floor(queue.now() - ms));
    server.command('HSET', `evfwd:run:${id}:workers`, 'host-3', `1 ${ago(7_000)}`);
    server.command('HSET', `evfwd:run:${id}:workers`, 'host-4', `1 ${ago(90_000)}`);
    await queue.report(id, { id: 'host-2', items: 1 });
    expect((await queue.snapshot(id))!.workers).toEqual([
      { id: 'host-1', items: 2 },
      { id: 'host-2', items: 1 },
    ]);
    const kept = server.command('HKEYS', `evfwd:run:${id}:workers`).split('\n').sort();
    expect(kept).toEqual(['host-1', 'host-2', 'host-3']);
  });

  it('are none once it has finished, although their reports are forgotten later', async () => {
    const server = await RedisServer.start();
    const { queue } = await testQueue(server);
    const { id } = await plannedRun(queue);
    await queue.report(id, { id: 'host-1', items: 2 });
    expect((await queue.snapshot(id))!.workers).toEqual([{ id: 'host-1', items: 2 }]);
    server.command('HSET', `evfwd:run:${id}`, 'status', 'finished');
    expect((await queue.snapshot(id))!.workers).toEqual([]);
  });
});
