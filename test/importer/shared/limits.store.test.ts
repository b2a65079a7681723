import { describe, expect, it } from 'vitest';
import type { EndpointNotice } from '../../../src/delivery/endpoint-notice.js';
import type { RunMessage } from '../../../src/importer/shared/run-store.js';
import type { SharedStore } from '../../../src/store/postgres/open.js';
import { PostgresServer, sharedPostgres } from '../../helpers/postgres.js';
import { newRun, testRuns } from '../../helpers/runs.js';

const postgres = sharedPostgres();

async function setBucket({ database, schema }: SharedStore, at: number): Promise<void> {
  await database.query(`UPDATE ${schema}.run_rate SET due = $1, free = $1`, [at]);
}

async function bucket({ database, schema }: SharedStore): Promise<{ due: number; free: number }> {
  const [row] = await database.query<{ due: number; free: number }>(
    `SELECT due, free FROM ${schema}.run_rate`,
  );
  return row!;
}

const oneTurn = { turns: 1, unused: 0 };

describe('the rate of a run', () => {
  it.each([
    [10, 1],
    [150, 1],
    [1_000, 10],
    [33_333, 333],
    [100_000, 1_000],
  ])(
    'of %i per second is a schedule without gaps or overlaps over six clients',
    async (rate, turns) => {
      const place = await postgres();
      const opened = await Promise.all(Array.from({ length: 6 }, () => testRuns(place)));
      const { runs, store } = opened[0]!;
      const { id } = await newRun(runs);
      expect(await runs.lease(id, rate, { turns, unused: 0 })).toEqual({
        inMs: 0,
        turns,
        intervalMs: 1_000 / rate,
      });
      // Ahead of the clock, so that no client of a busy machine comes too late for the next turn.
      const startMs = Math.floor(runs.now()) + 5_000;
      await setBucket(store, startMs);
      const leaseMs = (turns * 1_000) / rate;
      const leases = Math.floor(Math.min(120, 4_000 / leaseMs));
      await Promise.all(
        Array.from({ length: leases }, (_, n) =>
          opened[n % 6]!.runs.lease(id, rate, { turns, unused: 0 }),
        ),
      );
      // All leases one after the other: none overlaps another, and no time between them is lost.
      const { due } = await bucket(store);
      expect(due - startMs).toBeCloseTo(leases * leaseMs, 0);
    },
  );

  it('is not made up for after a break, and survives a clock that was set back', async () => {
    const { runs, store } = await testRuns(await postgres());
    const { id } = await newRun(runs);
    await runs.lease(id, 1, oneTurn);
    await setBucket(store, runs.now() - 60_000);
    // One turn a second: a busy machine needs longer than the turns of a quick rate.
    expect((await runs.lease(id, 1, oneTurn)).inMs).toBe(0);
    expect((await runs.lease(id, 1, oneTurn)).inMs).toBeGreaterThan(0);
    await setBucket(store, runs.now() + 3_600_000);
    expect((await runs.lease(id, 1, oneTurn)).inMs).toBe(0);
  });

  it('is caught up slowly when turns were not used', async () => {
    const { runs, store } = await testRuns(await postgres());
    const { id } = await newRun(runs);
    const request = { turns: 10, unused: 0 };
    await runs.lease(id, 1_000, request);
    const startMs = Math.floor(runs.now()) + 5_000;
    await setBucket(store, startMs);
    await runs.returnTurns(id, 1_000, 100);
    const first = await runs.lease(id, 1_000, request);
    const second = await runs.lease(id, 1_000, request);
    // 10 turns at 3 % above the rate; timers of the machine do not matter here.
    const { due, free } = await bucket(store);
    expect([first.turns, second.turns]).toEqual([10, 10]);
    expect(due - startMs).toBeCloseTo(20 - 100, 1);
    expect(free - startMs).toBeCloseTo(20 / 1.03, 1);
  });

  it('of a URL that is down is one probe a second over all workers', async () => {
    const place = await postgres();
    const [one, other] = await Promise.all([testRuns(place), testRuns(place)]);
    const { id } = await newRun(one.runs);
    const may = await Promise.all([
      ...Array.from({ length: 5 }, () => one.runs.mayProbe(id, 0)),
      ...Array.from({ length: 5 }, () => other.runs.mayProbe(id, 0)),
    ]);
    expect(may.filter(Boolean)).toHaveLength(1);
    expect(await other.runs.mayProbe(id, 1)).toBe(true);
    const { database, schema } = one.store;
    await database.query(`UPDATE ${schema}.probe SET at = at - 1000`);
    expect(await other.runs.mayProbe(id, 1)).toBe(true);
    // As after the clock of the server was set back.
    await database.query(`UPDATE ${schema}.probe SET at = at + 3600000`);
    expect(await one.runs.mayProbe(id, 1)).toBe(true);
  });
});

describe('notices of a run', () => {
  it('hold for later workers: a pause until its end, 410 for ever, down until up', async () => {
    const { runs } = await testRuns(await postgres());
    const { id } = await newRun(runs);
    const reason = { status: 503, error: null };
    const down: EndpointNotice = { kind: 'down', sinceMs: 1_700_000_000_000.5, reason };
    const up: EndpointNotice = { kind: 'up' };
    const untilMs = Math.floor(runs.now()) + 60_000;
    await runs.notify(id, 0, { kind: 'paused', untilMs });
    await runs.notify(id, 0, { kind: 'paused', untilMs: untilMs - 30_000 });
    await runs.notify(id, 1, { kind: 'paused', untilMs: runs.now() - 1_000 });
    await runs.notify(id, 1, { kind: 'gone' });
    await runs.notify(id, 1, down);
    await runs.notify(id, 2, down);
    await runs.notify(id, 2, up);
    expect(await runs.notices(id)).toEqual([
      { url: 0, notice: { kind: 'paused', untilMs } },
      { url: 1, notice: down },
      { url: 1, notice: { kind: 'gone' } },
    ]);
  });

  it('say since when a URL is down: the earliest, until it is up or the run is resumed', async () => {
    const { runs } = await testRuns(await postgres());
    const { id } = await newRun(runs);
    const down = (sinceMs: number) => runs.notify(id, 0, { kind: 'down', sinceMs });
    const since = async () =>
      (await runs.notices(id)).map(({ notice }) => notice.kind === 'down' && notice.sinceMs);
    for (const sinceMs of [2_000.5, 1_000.5, 3_000.5, 1_000.75]) await down(sinceMs);
    expect(await since()).toEqual([1_000.5]);
    await runs.notify(id, 0, { kind: 'up' });
    await down(3_000.5);
    expect(await since()).toEqual([3_000.5]);
    await runs.notify(id, 1, { kind: 'gone' });
    await runs.pause(id, null);
    expect(await since()).toEqual([3_000.5, false]);
    await runs.resume(id);
    expect(await runs.notices(id)).toEqual([{ url: 1, notice: { kind: 'gone' } }]);
  });

  it('reach all who listen, as does a change of the status, until they stop', async () => {
    const place = await postgres();
    const [one, other] = await Promise.all([testRuns(place), testRuns(place)]);
    const { id } = await newRun(one.runs);
    const { id: another } = await newRun(one.runs);
    const heard: RunMessage[] = [];
    const stop = await other.runs.subscribe(id, ({ kind }) => heard.push({ kind } as RunMessage));
    heard.length = 0;
    await one.runs.notify(id, 0, { kind: 'gone' });
    await one.runs.notify(another, 0, { kind: 'gone' });
    await one.runs.pause(id, null);
    await expect.poll(() => heard).toEqual([{ kind: 'notice' }, { kind: 'status' }]);
    await place.server.sql(`SELECT pg_notify('${place.schema}_runs', 'not ours')`);
    await stop();
    await one.runs.resume(id);
    expect(heard).toHaveLength(2);
  });

  it('that were missed while the connection was lost are replaced by one of the status', async () => {
    const server = await PostgresServer.start();
    const { runs } = await testRuns({ url: server.url, schema: 'evfwd' });
    const { id } = await newRun(runs);
    const heard: RunMessage[] = [];
    await runs.subscribe(id, (message) => heard.push(message));
    heard.length = 0;
    await server.kill();
    await server.start();
    await expect.poll(() => heard).toEqual([{ kind: 'status' }]);
    await runs.pause(id, null);
    await expect.poll(() => heard).toHaveLength(2);
  });
});

describe('the workers of a run', () => {
  it('are those that have reported in the last seconds, and have not left', async () => {
    const { runs, store } = await testRuns(await postgres());
    const { id } = await newRun(runs);
    for (const [worker, items] of [
      ['host-1', 2],
      ['host-2', 0],
      ['host-3', 1],
      ['host-4', 1],
      ['host-5', 1],
    ] as const) {
      await runs.report(id, { id: worker, items });
    }
    const { database, schema } = store;
    const age = `UPDATE ${schema}.run_worker SET at = at - $2 WHERE worker = $1`;
    await database.query(age, ['host-3', 7_000]);
    await database.query(age, ['host-4', 90_000]);
    await runs.leave(id, 'host-5');
    await runs.report(id, { id: 'host-2', items: 1 });
    expect((await runs.snapshot(id))!.workers).toEqual([
      { id: 'host-1', items: 2 },
      { id: 'host-2', items: 1 },
    ]);
    const kept = await database.query(`SELECT worker FROM ${schema}.run_worker ORDER BY worker`);
    expect(kept.map(({ worker }) => worker)).toEqual(['host-1', 'host-2', 'host-3']);
  });
});
