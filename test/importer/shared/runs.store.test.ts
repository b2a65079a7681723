import { describe, expect, it } from 'vitest';
import { PostgresServer, sharedPostgres } from '../../helpers/postgres.js';
import { newRun, testPlan, testRuns } from '../../helpers/runs.js';

const postgres = sharedPostgres();

describe('a run in a store', () => {
  it('is one run for several planners at once', async () => {
    const place = await postgres();
    const opened = await Promise.all(Array.from({ length: 4 }, () => testRuns(place)));
    const records = await Promise.all(
      opened.map(({ runs }) => runs.plan('same', testPlan(), 'Große Datei.ndjson', false)),
    );
    const ids = new Set(records.map(({ id }) => id));
    expect(ids.size).toBe(1);
    expect([...ids][0]).toMatch(/^gro-e-datei-ndjson-[0-9a-f]{8}$/);
    const [listed] = await opened[0]!.runs.list();
    expect({ ...listed, plan: records[0]!.plan }).toEqual(records[0]);
    expect(listed).not.toHaveProperty('plan');
    const jobs = await opened[0]!.store.jobs.ids(`${[...ids][0]}-parts`);
    expect(jobs.size).toBe(3);
  });

  it('keeps the plan that it is made from, and stores it for others', async () => {
    const place = await postgres();
    const [{ runs }, other] = await Promise.all([testRuns(place), testRuns(place)]);
    const plan = testPlan(Array.from({ length: 2_001 }, () => ({})));
    const { id, plan: kept } = await runs.plan('same', plan, 'a', false);
    expect(kept).toBe(plan);
    expect((await other.runs.find(id))!.plan).toEqual(plan);
    const own = { ...plan, seed: 'other' };
    expect((await other.runs.plan('same', own, 'a', false)).plan).toEqual(plan);
  });

  it.each([
    ['History 2026', /^history-2026-[0-9a-f]{8}$/],
    ['größe:1', /^gro-e-1-[0-9a-f]{8}$/],
    ['ä', /^a-[0-9a-f]{8}$/],
    ['a'.repeat(99), /^a{24}-[0-9a-f]{8}$/],
    ['', /^import-[0-9a-f]{8}$/],
  ])('with the name %s has an id of letters, digits and dashes', async (name, id) => {
    const { runs } = await testRuns(await postgres());
    expect((await runs.plan('identity', testPlan(), name, false)).id).toMatch(id);
  });

  it('has the parts of its plan', async () => {
    const { runs } = await testRuns(await postgres());
    const plan = testPlan([{}, { isWhole: true }, { size: 0 }]);
    const run = await newRun(runs, plan);
    expect(await runs.snapshot(run.id)).toMatchObject({
      record: { total: 4, status: 'running', stopReason: null, endedAt: null, plan },
      ranges: { total: 4, done: 0, failed: 0 },
      nextDueAt: Infinity,
      workers: [],
      problems: [],
    });
    const taken = await runs.take(run.id, 'ranges', 10);
    expect(taken.map(({ range }) => range)).toEqual(
      expect.arrayContaining([
        { file: 0, from: 0, to: 8_388_608 },
        { file: 0, from: 16_777_216, to: 20_000_000 },
        { file: 1, from: 0, to: null },
      ]),
    );
    expect(taken).toHaveLength(4);
  });

  it('is replaced by a fresh one, which cancels it', async () => {
    const { runs } = await testRuns(await postgres());
    const first = await runs.plan('same', testPlan(), 'a', false);
    const second = await runs.plan('same', testPlan(), 'a', true);
    expect(second.id).not.toBe(first.id);
    expect(await runs.find(first.id)).toMatchObject({ status: 'cancelled' });
    expect(await runs.plan('same', testPlan(), 'a', false)).toEqual(second);
  });

  it('is announced when it is made, and when it goes on', async () => {
    const place = await postgres();
    const { runs } = await testRuns(place);
    let calls = 0;
    await (await testRuns(place)).runs.subscribeToRuns(() => calls++);
    calls = 0;
    const { id } = await newRun(runs);
    await expect.poll(() => calls).toBe(1);
    await runs.pause(id, null);
    await runs.resume(id);
    await expect.poll(() => calls).toBe(3);
  });

  it('changes its status only where that makes sense', async () => {
    const { runs } = await testRuns(await postgres());
    const { id } = await newRun(runs);
    expect(await runs.resume(id)).toBe(false);
    expect(await runs.pause(id, 'too many failures')).toBe(true);
    expect(await runs.find(id)).toMatchObject({
      status: 'paused',
      stopReason: 'too many failures',
    });
    expect(await runs.pause(id, null)).toBe(false);
    expect(await runs.resume(id, { events: 9 })).toBe(true);
    expect(await runs.find(id)).toMatchObject({
      ...{ status: 'running', stopReason: null },
      plan: { stopAfter: { events: 9 } },
    });
    expect(await runs.cancel(id)).toBe(true);
    const { endedAt } = (await runs.find(id))!;
    expect(Math.abs(endedAt! - runs.now())).toBeLessThan(60_000);
    expect(await runs.resume(id)).toBe(false);
    expect(await runs.cancel('no-such-run')).toBe(false);
    expect(await runs.find("no:such*run'")).toBeUndefined();
  });

  it('is removed with everything, but not while it is running', async () => {
    const place = await postgres();
    const { runs, store } = await testRuns(place);
    const kept = await newRun(runs);
    const { id } = await newRun(runs);
    await expect(runs.remove(id)).rejects.toThrow(
      `run ${id} is running; stop it first: evfwd runs cancel ${id}`,
    );
    await runs.report(id, { id: 'host-1', items: 1 });
    await runs.mayProbe(id, 0);
    await runs.lease(id, 10, { turns: 1, unused: 0 });
    await runs.notify(id, 0, { kind: 'gone' });
    await runs.pause(id, null);
    await runs.remove(id);
    expect(await runs.find(id)).toBeUndefined();
    for (const table of ['part', 'run_worker', 'run_rate', 'run_notice']) {
      const left = `SELECT * FROM ${store.schema}.${table} WHERE run = $1`;
      expect(await store.database.query(left, [id])).toEqual([]);
    }
    const probes = `SELECT * FROM ${store.schema}.probe WHERE scope LIKE '%' || $1`;
    expect(await store.database.query(probes, [id])).toEqual([]);
    expect((await store.jobs.ids(`${kept.id}-parts`)).size).toBe(3);
    expect(await runs.snapshot(kept.id)).toMatchObject({ ranges: { total: 3 } });
    await expect(runs.remove(id)).rejects.toThrow(`there is no run ${id} on ${runs.name}`);
  });

  it('is removed by itself 7 days after the end', async () => {
    const { runs, store } = await testRuns(await postgres());
    const old = await runs.plan('same', testPlan(), 'a', false);
    const fresh = await runs.plan('same', testPlan(), 'a', true);
    const young = await newRun(runs);
    await runs.cancel(young.id);
    const end = (id: string, days: number) =>
      store.database.query(`UPDATE ${store.schema}.run SET ended_at = $2 WHERE id = $1`, [
        ...[id, runs.now() - days * 86_400_000],
      ]);
    await end(old.id, 7.01);
    await end(young.id, 6.99);
    await runs.removeExpired();
    expect((await runs.list()).map(({ id }) => id)).toEqual([fresh.id, young.id]);
    expect(await runs.plan('same', testPlan(), 'a', false)).toEqual(fresh);
  });

  it('cannot be planned on a server that is read-only, in one line', async () => {
    const server = await PostgresServer.start();
    const { runs } = await testRuns({ url: server.url, schema: 'evfwd' });
    await server.sql('ALTER SYSTEM SET default_transaction_read_only = on');
    await server.sql('SELECT pg_reload_conf()');
    await expect(runs.plan('new', testPlan(), 'a', false)).rejects.toMatchObject({
      code: 'state_not_written',
      exitCode: 6,
      message: `cannot write the plan: ${server.shown} refuses it: it is read-only; run the same command again when that is fixed`,
    });
  });
});
