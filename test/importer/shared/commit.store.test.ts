import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import type { RetryBatch } from '../../../src/importer/shared/item.js';
import { setClockBack, sharedPostgres } from '../../helpers/postgres.js';
import { newRun, takeOne, testCommit, testPlan, testRuns } from '../../helpers/runs.js';

const postgres = sharedPostgres();
const onePlan = testPlan([{ size: 1_000 }]);
const waiting = { timeout: 40_000 };

async function takenItem() {
  const place = await postgres();
  const { runs, store } = await testRuns(place);
  const { id: run } = await newRun(runs, onePlan);
  const { ref } = await takeOne(runs, run);
  return { place, runs, store, run, ref };
}

async function takenParts(parts: number) {
  const place = await postgres();
  const { runs, store } = await testRuns(place);
  const { id: run } = await newRun(runs, testPlan([{ size: parts * 8 * 2 ** 20 }]));
  const taken = await runs.take(run, 'ranges', parts);
  return { place, runs, store, run, taken };
}

function batch(dueAt: number, text: Buffer | null = null): RetryBatch {
  const row = {
    ...{ id: 1, dueAt, delayMs: 10, file: 0, line: 3, offset: 20, length: 10, part: 0 },
    ...{ hash: 'abc', text, givenId: null, user: 'u', endpointDeliveries: [] },
    stamp: { messageId: 'm', writesMessageId: false },
  };
  return { dueAt, rows: [row] };
}

it('a range is taken at once, also when the clock of the server was set back', async () => {
  const place = await postgres();
  const { runs } = await testRuns(place);
  const { id: run } = await newRun(runs, onePlan);
  await setClockBack(place);
  expect(await runs.take(run, 'ranges', 5)).toHaveLength(1);
});

describe('a commit', () => {
  it('stores progress, totals, dead letters and retries in one step', async () => {
    const { runs, run, ref, store } = await takenItem();
    const letters = [Buffer.from('{"a":1}\n'), Buffer.from('{"b":"ü"}\n')];
    const putRetries = new Map([['0-0-1-0', batch(5_000, Buffer.from([0, 255, 10]))]]);
    const commit = testCommit(1, 7, { deadLetters: letters, putRetries });
    const stats = { delivered: 7, 'reason:http_500': 2, rejected: 0 };
    expect(await runs.commit(ref, { ...commit, stats, latency: { 7: 2, 900: 1 } })).toBe('stored');
    const snapshot = (await runs.snapshot(run))!;
    expect(snapshot.stats).toEqual({ delivered: 7, 'reason:http_500': 2 });
    expect([...snapshot.latency.counts.entries()].filter(([, count]) => count > 0)).toEqual([
      [7, 2],
      [900, 1],
    ]);
    expect(await runs.deadLetters(run, 0, 10)).toEqual(letters);
    expect(await runs.deadLetters(run, 1, 1)).toEqual([letters[1]]);
    expect(await runs.deadLetters(run, 0, 0)).toEqual([]);
    expect(await runs.retryBatch(run, '0-0-1-0')).toEqual(putRetries.get('0-0-1-0'));
    const stored = await store.database.query(`SELECT progress FROM ${store.schema}.part`);
    expect(stored).toEqual([{ progress: commit.progress }]);
  });

  it('has dead letters that are read in pages of few bytes, none of them empty', async () => {
    const { runs, run, ref } = await takenItem();
    const letters = [900_000, 900_000, 900_000, 10, 10].map((size, n) => Buffer.alloc(size, n));
    await runs.commit(ref, testCommit(1, 7, { deadLetters: letters }));
    const read: Buffer[] = [];
    const sizes: number[] = [];
    for (;;) {
      const page = await runs.deadLetters(run, read.length, 100);
      if (page.length === 0) break;
      read.push(...page);
      sizes.push(page.length);
    }
    expect(read.map((line, n) => line.equals(letters[n]!))).toEqual(letters.map(() => true));
    expect(sizes).toEqual([2, 3]);
  });

  it('that was stored already is stored, without being counted again', async () => {
    const { runs, run, ref } = await takenItem();
    const deadLetters = [Buffer.from('{}\n')];
    expect(await runs.commit(ref, testCommit(1, 7, { deadLetters }))).toBe('stored');
    expect(await runs.commit(ref, testCommit(1, 7, { deadLetters }))).toBe('stored');
    expect(await runs.commit(ref, testCommit(2, 7))).toBe('stored');
    expect((await runs.snapshot(run))!.stats.delivered).toBe(14);
    expect(await runs.deadLetters(run, 0, 10)).toHaveLength(1);
  });

  it.each([
    [3, [3]],
    [6, [4, 2]],
  ])(
    'shares a statement with others that come at the same time (%i parts), four at most',
    async (parts, expected) => {
      const { runs, store, run, taken } = await takenParts(parts);
      const results = await Promise.all(
        taken.map(({ ref }, n) => runs.commit(ref, testCommit(1, 10 ** n, { latency: { 7: 1 } }))),
      );
      expect(results).toEqual(taken.map(() => 'stored'));
      const transactions = await store.database.query<{ parts: number }>(
        `SELECT count(*)::int AS parts FROM ${store.schema}.part WHERE progress IS NOT NULL
         GROUP BY xmin::text ORDER BY parts DESC`,
      );
      expect(transactions.map((one) => one.parts)).toEqual(expected);
      const { stats, latency } = (await runs.snapshot(run))!;
      expect([stats, latency.counts[7]]).toEqual([{ delivered: (10 ** parts - 1) / 9 }, parts]);
    },
  );

  it('is lost or stored before by itself, beside others of its statement', async () => {
    const { runs, store, run, taken } = await takenParts(3);
    const [lost, repeated, other] = taken;
    await store.database.query(
      `UPDATE ${store.schema}.part SET taken = taken + 1 WHERE run = $1 AND id = $2`,
      [run, lost!.ref.id],
    );
    expect(await runs.commit(repeated!.ref, testCommit(1, 10))).toBe('stored');
    const results = await Promise.all([
      runs.commit(lost!.ref, testCommit(1, 1)),
      runs.commit(repeated!.ref, testCommit(1, 10)),
      runs.commit(other!.ref, testCommit(1, 100)),
    ]);
    expect(results).toEqual(['lost', 'stored', 'stored']);
    expect((await runs.snapshot(run))!.stats).toEqual({ delivered: 110 });
  });

  it('waits with another one of its statement that is locked only until that fails', async () => {
    const { place, runs, store, run, taken } = await takenParts(2);
    const [locked, free] = taken;
    const ends: string[] = [];
    const query = vi.spyOn(store.database, 'query');
    const other = new pg.Client({ connectionString: place.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      const part = `SELECT FROM ${store.schema}.part WHERE run = $1 AND id = $2 FOR UPDATE`;
      await other.query(part, [run, locked!.ref.id]);
      const commits = taken.map(async ({ ref }) => {
        expect(await runs.commit(ref, testCommit(1, 1))).toBe('stored');
        ends.push(ref.id);
      });
      await commits[1];
      expect(ends).toEqual([free!.ref.id]);
      // Once together, then each alone.
      expect(query.mock.calls.filter(([text]) => text.includes('stored1 AS'))).toHaveLength(1);
      await other.query('COMMIT');
      await commits[0];
    } finally {
      await other.end();
    }
    expect((await runs.snapshot(run))!.stats).toEqual({ delivered: 2 });
  }, 60_000);

  it('counts for its own run, beside those of another run', async () => {
    const { runs, run, taken } = await takenParts(1);
    const { id: otherRun } = await newRun(runs, onePlan);
    const other = await takeOne(runs, otherRun);
    await Promise.all([
      runs.commit(taken[0]!.ref, testCommit(1, 3)),
      runs.commit(other.ref, testCommit(1, 5)),
    ]);
    expect((await runs.snapshot(run))!.stats).toEqual({ delivered: 3 });
    expect((await runs.snapshot(otherRun))!.stats).toEqual({ delivered: 5 });
  });

  it('is lost when another worker has the item, which goes on where the first one was', async () => {
    const { place, runs, run, ref } = await takenItem();
    const other = (await testRuns(place)).runs;
    expect(await runs.commit(ref, testCommit(1, 7))).toBe('stored');
    await runs.giveBack(ref);
    const taken = await takeOne(other, run);
    expect(taken).toMatchObject({ progress: { sequence: 1 }, takeovers: 0 });
    expect(await runs.commit(ref, testCommit(2, 7))).toBe('lost');
    expect(await runs.end(ref)).toBe('lost');
    expect(await runs.fail(ref, 'no')).toBe('lost');
    expect(await other.commit(taken.ref, testCommit(2, 5))).toBe('stored');
    expect((await runs.snapshot(run))!.stats.delivered).toBe(12);
  });

  it('of several workers adds up, with dead letters in one order', async () => {
    const place = await postgres();
    const one = await testRuns(place);
    const plan = testPlan([{ size: 8 * 8 * 2 ** 20 }]);
    const { id: run } = await newRun(one.runs, plan);
    const others = await Promise.all([testRuns(place), testRuns(place), testRuns(place)]);
    await Promise.all(
      [one, ...others].map(async ({ runs }) => {
        for (const { ref } of await runs.take(run, 'ranges', 2)) {
          for (let sequence = 1; sequence <= 10; sequence++) {
            const deadLetters = [Buffer.from(`${ref.id} ${sequence}\n`)];
            const commit = testCommit(sequence, 3, { deadLetters, latency: { 5: 1 } });
            expect(await runs.commit(ref, commit)).toBe('stored');
          }
          expect(await runs.end(ref)).toBe('stored');
        }
      }),
    );
    const snapshot = (await one.runs.snapshot(run))!;
    expect(snapshot).toMatchObject({ stats: { delivered: 240 }, ranges: { done: 8 } });
    expect(snapshot.latency.counts[5]).toBe(80);
    const letters = await one.runs.deadLetters(run, 0, 100);
    expect(new Set(letters.map(String)).size).toBe(80);
    expect(await one.runs.finishIfDone(run)).toBe(true);
  });

  it('is lost after the run was removed, and leaves nothing behind', async () => {
    const { runs, run, ref, store } = await takenItem();
    await runs.cancel(run);
    await runs.remove(run);
    expect(await runs.commit(ref, testCommit(1, 7))).toBe('lost');
    await runs.report(run, { id: 'host-1', items: 1 });
    await runs.notify(run, 0, { kind: 'gone' });
    for (const table of ['run', 'part', 'retry', 'run_stat', 'run_worker', 'run_notice']) {
      expect(await store.database.query(`SELECT * FROM ${store.schema}.${table}`)).toEqual([]);
    }
    expect(await store.database.query(`SELECT * FROM ${store.schema}_jobs.job`)).toEqual([]);
  });

  it('is repeated while the store refuses writes, and stored once', async () => {
    const { place, runs, run, ref, store } = await takenItem();
    const { server } = place;
    await server.sql(`CREATE FUNCTION ${store.schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$`);
    await server.sql(`CREATE TRIGGER refused BEFORE INSERT ON ${store.schema}.run_stat
      FOR EACH STATEMENT EXECUTE FUNCTION ${store.schema}.refuse()`);
    const stored = runs.commit(ref, testCommit(1, 7));
    await expect.poll(() => store.database.failure?.reason).toBe('its disk is full');
    expect((await runs.snapshot(run))!.stats).toEqual({});
    await server.sql(`DROP TRIGGER refused ON ${store.schema}.run_stat`);
    expect(await stored).toBe('stored');
    expect((await runs.snapshot(run))!.stats).toEqual({ delivered: 7 });
  });
});

describe('the takeovers of an item', () => {
  it('are counted from the last commit on, and not when it is given back', async () => {
    const { place, runs, run, ref } = await takenItem();
    await runs.giveBack(ref);
    const second = await takeOne(runs, run);
    expect(second.takeovers).toBe(0);
    await place.server.sql(
      `UPDATE ${place.schema}_jobs.job SET heartbeat_on = now() - interval '1 min'`,
    );
    await expect
      .poll(async () => (await runs.take(run, 'ranges', 1))[0]?.takeovers, waiting)
      .toBe(1);
  });
});

describe('the retries of a run', () => {
  it('are due at their time by the clock of the store, once', async () => {
    const { runs, run, ref, store } = await takenItem();
    const dueAt = Math.floor(runs.now()) + 100_000;
    const putRetries = new Map([
      ['later', batch(dueAt + 5_000)],
      ['soon', batch(dueAt)],
    ]);
    await runs.commit(ref, testCommit(1, 1, { putRetries }));
    await runs.commit(ref, testCommit(1, 1, { putRetries }));
    expect((await runs.snapshot(run))!.nextDueAt).toBe(dueAt);
    expect(await runs.take(run, 'retries', 5)).toEqual([]);
    const waits = await store.database.query<{ s: number }>(
      `SELECT extract(epoch FROM start_after - now())::float8 AS s FROM ${store.schema}_jobs.job
       WHERE name LIKE '%-retries' ORDER BY 1`,
    );
    expect(waits).toHaveLength(2);
    expect(waits[0]!.s).toBeGreaterThan(60);
    expect(waits[1]!.s - waits[0]!.s).toBeCloseTo(5, 0);
  });

  it('keep a run from being finished until none is left', async () => {
    const { runs, run, ref } = await takenItem();
    await runs.commit(ref, testCommit(1, 1, { putRetries: new Map([['r', batch(0)]]) }));
    expect(await runs.end(ref)).toBe('stored');
    expect(await runs.finishIfDone(run)).toBe(false);
    const retry = await takeOne(runs, run, 'retries');
    expect(retry.ref.id).toBe('r');
    expect(await runs.commit(retry.ref, testCommit(1, 3, { deleteRetry: 'r' }))).toBe('stored');
    // Once more, as when its answer was lost.
    expect(await runs.commit(retry.ref, testCommit(1, 3, { deleteRetry: 'r' }))).toBe('stored');
    expect(await runs.end(retry.ref)).toBe('stored');
    expect(await runs.retryBatch(run, 'r')).toBeUndefined();
    expect(await runs.finishIfDone(run)).toBe(true);
    expect(await runs.finishIfDone(run)).toBe(true);
    const end = (await runs.snapshot(run))!;
    expect(end.record).toMatchObject({ status: 'finished', endedAt: expect.any(Number) });
    expect(end.ranges).toEqual({ total: 1, done: 1, failed: 0 });
    expect(end.stats.delivered).toBe(4);
    expect(await runs.cancel(run)).toBe(false);
  });

  it('that were not all attempted stay in their batch', async () => {
    const { runs, run, ref } = await takenItem();
    const rows = [1, 2].map((id) => ({ ...batch(0).rows[0]!, id }));
    await runs.commit(ref, testCommit(1, 1, { putRetries: new Map([['r', { dueAt: 0, rows }]]) }));
    const retry = await takeOne(runs, run, 'retries');
    const left = new Map([['r', { dueAt: 0, rows: rows.slice(1) }]]);
    expect(await runs.commit(retry.ref, testCommit(1, 1, { putRetries: left }))).toBe('stored');
    await runs.giveBack(retry.ref);
    expect((await takeOne(runs, run, 'retries')).ref.id).toBe('r');
    expect((await runs.retryBatch(run, 'r'))?.rows).toEqual(rows.slice(1));
  });

  it('that have failed do not keep it from being finished, and are named', async () => {
    const { runs, run, ref } = await takenItem();
    await runs.commit(ref, testCommit(1, 1, { putRetries: new Map([['r', batch(0)]]) }));
    await runs.end(ref);
    const retry = await takeOne(runs, run, 'retries');
    expect(await runs.fail(retry.ref, 'it has changed')).toBe('stored');
    expect(await runs.finishIfDone(run)).toBe(true);
    expect(await runs.snapshot(run)).toMatchObject({
      failedRetries: 1,
      problems: [{ file: '/data/0.ndjson', message: 'it has changed', ranges: 1 }],
    });
  });
});
