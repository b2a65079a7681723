import { describe, expect, it, vi } from 'vitest';
import { PostgresServer, sharedPostgres, type TestStore } from '../../helpers/postgres.js';
import { putJobs, testStore } from '../../helpers/shared-store.js';

const postgres = sharedPostgres();
const waiting = { timeout: 20_000, interval: 20 };

describe('a job', () => {
  it('is there after its transaction, and taken once', async () => {
    const place = await postgres();
    const { store } = await testStore(place);
    const { jobs, database } = store;
    await jobs.createQueue('q');
    await database.transaction((tx) => jobs.insert(tx, 'q', [{ data: { n: 1 } }]));
    const [job] = await jobs.fetch<{ n: number }>('q', 5);
    expect(job).toMatchObject({ attempt: 0, data: { n: 1 } });
    expect(await jobs.fetch('q')).toEqual([]);
    expect(await database.transaction((tx) => jobs.remove(tx, 'q', [job!]))).toEqual([job]);
    expect(await jobs.ids('q')).toEqual(new Set());
    expect(job!.lost.aborted).toBe(false);
  });

  it('is not there when its transaction is rolled back', async () => {
    const { store } = await testStore(await postgres());
    const { jobs, database } = store;
    await jobs.createQueue('q');
    const failed = database.transaction(async (tx) => {
      await jobs.insert(tx, 'q', [{ data: {} }]);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await jobs.ids('q')).toEqual(new Set());
  });

  it('stays ours when the transaction that removes it is rolled back', async () => {
    const { store } = await testStore(await postgres());
    const { jobs, database } = store;
    await jobs.createQueue('q');
    await putJobs({ jobs, database }, 'q', [{ data: {} }]);
    const [job] = await jobs.fetch('q');
    const failed = database.transaction(async (tx) => {
      expect(await jobs.remove(tx, 'q', [job!])).toHaveLength(1);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await database.transaction((tx) => jobs.confirm(tx, 'q', [job!]))).toEqual([job]);
  });

  it('that was given back is taken by another at once, and no longer ours', async () => {
    const place = await postgres();
    const one = (await testStore(place)).store;
    const two = (await testStore(place)).store;
    await one.jobs.createQueue('q');
    await putJobs(one, 'q', [{ data: { n: 1 } }]);
    const [job] = await one.jobs.fetch('q');
    await one.jobs.release('q', [job!]);
    const [again] = await two.jobs.fetch('q');
    expect(again).toMatchObject({ id: job!.id, attempt: 1 });
    const removed = await one.database.transaction((tx) => one.jobs.remove(tx, 'q', [job!]));
    expect(removed).toEqual([]);
    expect(await two.database.transaction((tx) => two.jobs.remove(tx, 'q', [again!]))).toHaveLength(
      1,
    );
  });

  it('says which of several were still ours', async () => {
    const place = await postgres();
    const one = (await testStore(place)).store;
    const two = (await testStore(place)).store;
    await one.jobs.createQueue('q');
    await putJobs(one, 'q', [{ data: { n: 1 } }, { data: { n: 2 } }]);
    const held = await one.jobs.fetch('q', 2);
    await one.jobs.release('q', [held[0]!]);
    await two.jobs.fetch('q');
    const removed = await one.database.transaction((tx) => one.jobs.remove(tx, 'q', held));
    expect(removed).toEqual([held[1]]);
  });

  it('waits for its time by the clock of the server', async () => {
    const { store } = await testStore(await postgres());
    const { jobs, database } = store;
    await jobs.createQueue('q');
    await putJobs({ jobs, database }, 'q', [{ data: {}, delayMs: 700 }]);
    const before = database.now();
    expect(await jobs.fetch('q')).toEqual([]);
    const job = await vi.waitFor(async () => {
      const [taken] = await jobs.fetch('q');
      expect(taken).toBeDefined();
      return taken!;
    }, waiting);
    expect(job.attempt).toBe(0);
    expect(database.now() - before).toBeGreaterThan(600);
  });

  it('with an id that is there is left alone', async () => {
    const { store } = await testStore(await postgres());
    const { jobs, database } = store;
    await jobs.createQueue('q');
    const id = '018f0000-0000-7000-8000-000000000001';
    await putJobs({ jobs, database }, 'q', [{ id, data: { n: 1 } }]);
    await putJobs({ jobs, database }, 'q', [{ id, data: { n: 2 } }]);
    const taken = await jobs.fetch('q', 5);
    expect(taken.map(({ data }) => data)).toEqual([{ n: 1 }]);
  });
});

it('a claim outlives a crash of the server, so that the next one has another number', async () => {
  const server = await PostgresServer.start();
  const place = { url: server.url, schema: 'evfwd' };
  const { store: holder } = await testStore(place);
  await holder.jobs.createQueue('q');
  await putJobs(holder, 'q', [{ data: {} }]);
  const [job] = await holder.jobs.fetch('q');
  await server.kill();
  // It would extend its lease.
  await holder.close();
  await server.start();
  const { store } = await testStore(place);
  await server.sql(`UPDATE evfwd_jobs.job SET heartbeat_on = now() - interval '20 s'`);
  const again = await vi.waitFor(async () => {
    const [taken] = await store.jobs.fetch('q');
    expect(taken).toBeDefined();
    return taken!;
  }, waiting);
  expect(again).toMatchObject({ id: job!.id, attempt: 1 });
});

describe('a process that does not respond', () => {
  it('loses its job to another, and what it does later is refused', async () => {
    const place = await postgres();
    const one = (await testStore(place)).store;
    const two = (await testStore(place)).store;
    await one.jobs.createQueue('q');
    await putJobs(one, 'q', [{ data: {} }]);
    const [job] = await one.jobs.fetch('q');
    await expireHeartbeats(place);
    const taken = await vi.waitFor(async () => {
      const [again] = await two.jobs.fetch('q');
      expect(again).toMatchObject({ id: job!.id, attempt: 1 });
      return again!;
    }, waiting);
    const late = await one.database.transaction((tx) => one.jobs.remove(tx, 'q', [job!]));
    expect(late).toEqual([]);
    expect(job!.lost.aborted).toBe(true);
    const held = await two.database.transaction((tx) => two.jobs.confirm(tx, 'q', [taken]));
    expect(held).toEqual([taken]);
  });

  it('keeps its job while no process that takes jobs is there', async () => {
    const [supervisedPlace, unsupervisedPlace] = [await postgres(), await postgres()];
    const { store: supervised } = await testStore(supervisedPlace);
    const { store: unsupervised } = await testStore(unsupervisedPlace, { takesJobs: false });
    for (const [{ jobs, database }, place] of [
      [unsupervised, unsupervisedPlace],
      [supervised, supervisedPlace],
    ] as const) {
      await jobs.createQueue('q');
      await putJobs({ jobs, database }, 'q', [{ data: {} }]);
      // Another process takes the job and ends without giving it back.
      const { store: holder } = await testStore(place, { takesJobs: false });
      await holder.jobs.fetch('q');
      await holder.close();
      await expireHeartbeats(place);
    }
    // After two takeovers in the one store, there was time for one in the other.
    for (const attempt of [1, 2]) {
      await vi.waitFor(async () => {
        // Each time: it holds the job itself then, and says so every few seconds.
        await expireHeartbeats(supervisedPlace);
        expect(await supervised.jobs.fetch('q')).toMatchObject([{ attempt }]);
      }, waiting);
    }
    expect(await unsupervised.jobs.fetch('q')).toEqual([]);
  });
});

/** As when their holder is stopped: nothing says that it is alive any more. */
async function expireHeartbeats({ server, schema }: TestStore): Promise<void> {
  await server.sql(`UPDATE ${schema}_jobs.job SET heartbeat_on = now() - interval '20 s'`);
}
