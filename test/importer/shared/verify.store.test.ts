import { describe, expect, it } from 'vitest';
import { sharedPostgres } from '../../helpers/postgres.js';
import { newRun, takeOne, testCommit, testPlan, testRuns } from '../../helpers/runs.js';

const postgres = sharedPostgres();
const nothing = { restoredRanges: 0, restoredRetries: 0 };

const batch = {
  dueAt: 0,
  rows: [
    {
      ...{ id: 1, dueAt: 0, delayMs: 10, file: 0, line: 3, offset: 20, length: 10, part: 0 },
      ...{ hash: 'abc', text: null, givenId: null, user: 'u', endpointDeliveries: [] },
      stamp: { messageId: 'm', writesMessageId: false },
    },
  ],
};

describe('the verification of a run', () => {
  it('puts nothing back where nothing failed', async () => {
    const { runs } = await testRuns(await postgres());
    const { id } = await newRun(runs);
    await takeOne(runs, id);
    expect(await runs.verify(id)).toEqual(nothing);
    await expect(runs.verify('no-such-run')).rejects.toThrow('there is no run no-such-run');
  });

  it('puts back parts that failed, where they were, and opens a finished run', async () => {
    const { runs } = await testRuns(await postgres());
    const { id } = await newRun(runs, testPlan([{ size: 10 }]));
    const { ref } = await takeOne(runs, id);
    await runs.commit(ref, testCommit(1, 7));
    await runs.fail(ref, 'the file has changed');
    expect(await runs.finishIfDone(id)).toBe(true);
    expect(await runs.take(id, 'ranges', 5)).toEqual([]);
    expect(await runs.verify(id)).toEqual({ ...nothing, restoredRanges: 1 });
    const snapshot = (await runs.snapshot(id))!;
    expect(snapshot.record).toMatchObject({ status: 'running', endedAt: null });
    expect(snapshot).toMatchObject({ ranges: { failed: 0 }, problems: [] });
    expect(await takeOne(runs, id)).toMatchObject({ progress: { sequence: 1 }, takeovers: 0 });
    expect(await runs.verify(id)).toEqual(nothing);
  });

  it('puts back retries that failed', async () => {
    const { runs } = await testRuns(await postgres());
    const { id } = await newRun(runs, testPlan([{ size: 10 }]));
    const { ref } = await takeOne(runs, id);
    await runs.commit(ref, testCommit(1, 7, { putRetries: new Map([['r', batch]]) }));
    await runs.end(ref);
    await runs.fail((await takeOne(runs, id, 'retries')).ref, 'the file has changed');
    expect(await runs.verify(id)).toEqual({ ...nothing, restoredRetries: 1 });
    expect((await takeOne(runs, id, 'retries')).ref.id).toBe('r');
  });

  it('puts back what no job stands for, and refuses who still has the job of before', async () => {
    const { runs, store } = await testRuns(await postgres());
    const { id } = await newRun(runs);
    const { ref } = await takeOne(runs, id);
    await store.database.query(`DELETE FROM ${store.schema}_jobs.job`);
    expect(await runs.verify(id)).toEqual({ ...nothing, restoredRanges: 3 });
    expect(await runs.commit(ref, testCommit(1, 1))).toBe('lost');
    expect(await runs.take(id, 'ranges', 5)).toHaveLength(3);
  });

  it('of several at once puts each part back once', async () => {
    const place = await postgres();
    const [one, two] = await Promise.all([testRuns(place), testRuns(place)]);
    const { id } = await newRun(one.runs);
    for (const { ref } of await one.runs.take(id, 'ranges', 3)) await one.runs.fail(ref, 'no');
    const results = await Promise.all([one.runs.verify(id), two.runs.verify(id)]);
    expect(results.reduce((sum, { restoredRanges }) => sum + restoredRanges, 0)).toBe(3);
    expect(await one.runs.take(id, 'ranges', 10)).toHaveLength(3);
  });
});
