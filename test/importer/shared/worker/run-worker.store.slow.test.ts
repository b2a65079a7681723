import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PostgresRunStore } from '../../../../src/importer/shared/postgres/postgres-run-store.js';
import type { Plan } from '../../../../src/importer/shared/plan.js';
import type { RunStore } from '../../../../src/importer/shared/run-store.js';
import type { RunSnapshot, RunStatus } from '../../../../src/importer/shared/run-record.js';
import {
  RunWorker,
  type RunWorkerOptions,
} from '../../../../src/importer/shared/worker/run-worker.js';
import { openStore } from '../../../../src/store/postgres/open.js';
import type { AttemptLog } from '../../../../src/ledger/attempt-log.js';
import { afterEachTest } from '../../../helpers/after-each.js';
import { folderWith } from '../../../helpers/folder.js';
import { plannedRun, planOf, webhookTo } from '../../../helpers/planned-run.js';
import { events, Witness } from '../../../helpers/process.js';
import { startReceiver, type Receiver } from '../../../helpers/receiver.js';
import { noSources } from '../../../helpers/item-context.js';
import { PostgresServer } from '../../../helpers/postgres.js';
import { signingBy } from '../../../helpers/signing.js';

const closers: (() => unknown)[] = [];
afterEachTest(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function receiver(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...args);
  closers.push(() => started.close());
  return started;
}

async function storeOn(postgres: PostgresServer): Promise<RunStore> {
  const store = await openStore({
    ...{ url: postgres.url, requireDurable: true, takesJobs: true },
    ...{ onWarning: () => undefined, onOutage: () => undefined, onRecovered: () => undefined },
  });
  const server = new PostgresRunStore(store);
  closers.push(() => server.close());
  return server;
}

interface StartedWorker {
  readonly lines: string[];
  /** Ends it; resolves with the number of ranges that it gave back. */
  readonly stop: () => Promise<number>;
}

let workers = 0;

async function startWorker(
  postgres: PostgresServer,
  options: Partial<RunWorkerOptions> = {},
): Promise<StartedWorker> {
  const server = await storeOn(postgres);
  const lines: string[] = [];
  const controller = new AbortController();
  const worker = new RunWorker({
    ...{ server, id: `w${++workers}`, roots: [], rangesFor: () => 2, concurrency: 8 },
    ...{ log: undefined, signal: controller.signal },
    own: {
      ...{ secrets: [], headers: [], endpoints: [], writeKey: undefined },
      ...{ ca: [], clientCertificate: undefined, sources: noSources },
    },
    aheadMs: () => server.now() - Date.now(),
    threadsFor: () => 0,
    listener: {
      joined: ({ id }) => void lines.push(`joined ${id}`),
      refused: (_record, why) => void lines.push(`refused: ${why}`),
      url: (_url, { kind }) => void lines.push(`url ${kind}`),
      held: (_record, isHeld) => void lines.push(isHeld ? 'reading paused' : 'reading on'),
      failed: (_record, path, message) => void lines.push(`failed ${path}: ${message}`),
      range: (_record, { from }, end) => void lines.push(`range ${from} ${end ?? 'begins'}`),
      left: (_record, snapshot) => void lines.push(`left ${snapshot?.record.status}`),
    },
    ...options,
  });
  const ended = worker.run();
  const stop = (): Promise<number> => {
    controller.abort();
    return ended;
  };
  closers.push(stop);
  return { lines, stop };
}

/** The server, with a call of `onAsk` for each question whether a probe may be sent. */
function watchedProbes(server: RunStore, onAsk: () => void): RunStore {
  const ask = server.mayProbe.bind(server);
  server.mayProbe = (run, url) => {
    onAsk();
    return ask(run, url);
  };
  return server;
}

/** The server; calls `onLease` with the number of turns of each lease. */
function watchedLeases(server: RunStore, onLease: (turns: number) => void): RunStore {
  const lease = server.lease.bind(server);
  server.lease = async (run, perSecond, request) => {
    const leased = await lease(run, perSecond, request);
    onLease(leased.turns);
    return leased;
  };
  return server;
}

async function snapshotWhen(
  server: RunStore,
  run: string,
  isThere: (snapshot: RunSnapshot) => boolean,
): Promise<RunSnapshot> {
  for (;;) {
    const snapshot = await server.snapshot(run);
    if (snapshot && isThere(snapshot)) return snapshot;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const hasStatus = (status: RunStatus) => (snapshot: RunSnapshot) =>
  snapshot.record.status === status;

async function lineWhen(lines: readonly string[], form: RegExp): Promise<string> {
  for (;;) {
    const line = lines.find((one) => form.test(one));
    if (line !== undefined) return line;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function setup(
  responder: Parameters<typeof startReceiver>[0],
  { count = 200, changes = {} }: { count?: number; changes?: Partial<Plan> } = {},
) {
  const postgres = await PostgresServer.start();
  const server = await storeOn(postgres);
  const target = await receiver(responder);
  const folder = folderWith({ 'a.ndjson': events(count) });
  const plan = planOf([join(folder, 'a.ndjson')], target.url, changes);
  return { postgres, server, target, folder, plan };
}

/** A run of a gzip file with 1,200 events, read as a whole, whose URL has been down for the whole retry window. */
async function crowdedRun(server: RunStore, folder: string, url: string, retryWindowMs: number) {
  const path = join(folder, 'a.gz');
  writeFileSync(path, gzipSync(events(1_200)));
  const record = await plannedRun(server, {
    plan: planOf([path], url, {
      target: webhookTo([url], { retryWindowMs }),
      stopAfter: { share: 1 },
    }),
  });
  const sinceMs = server.now() - retryWindowMs - 1_000;
  await server.notify(record.id, 0, { kind: 'down', sinceMs });
  return record;
}

describe('a worker', () => {
  it('sends the ranges of a run, each event once, and ends the run', async () => {
    const witness = new Witness();
    const { postgres, server, plan } = await setup(witness.responding());
    const { id } = await plannedRun(server, { plan, pieceBytes: 1_000 });
    const worker = await startWorker(postgres);
    const { stats, ranges } = await snapshotWhen(server, id, hasStatus('finished'));
    await lineWhen(worker.lines, /^left finished/);
    expect(witness.missing(200)).toEqual([]);
    expect(witness.doubled).toBe(0);
    expect(stats).toMatchObject({ delivered: 200 });
    expect(ranges.done).toBe(ranges.total);
    expect(await worker.stop()).toBe(0);
  });

  it('sends a gzip file as a whole, with retries that have the text of their events', async () => {
    const witness = new Witness();
    const { postgres, server, folder, target } = await setup(
      witness.responding(([n = 0]) => (n % 10 === 3 && !witness.seen.has(n) ? 500 : 200)),
    );
    appendFileSync(join(folder, 'b.gz'), gzipSync(events(100)));
    const plan = planOf([join(folder, 'b.gz')], target.url);
    const { id } = await plannedRun(server, { plan });
    await startWorker(postgres);
    const { stats } = await snapshotWhen(server, id, hasStatus('finished'));
    expect(witness.missing(100)).toEqual([]);
    expect(stats).toMatchObject({ delivered: 100, retries: 10 });
    expect(stats.retrying ?? 0).toBe(0);
  });

  it('hands on retries, and sends them when they are due', async () => {
    const witness = new Witness();
    const { postgres, server, plan } = await setup(
      witness.responding(([n = 0]) => (n % 3 === 0 && !witness.seen.has(n) ? 500 : 200)),
    );
    const { id } = await plannedRun(server, { plan });
    await startWorker(postgres);
    const { stats } = await snapshotWhen(server, id, hasStatus('finished'));
    expect(witness.missing(200)).toEqual([]);
    expect(witness.doubled).toBe(0);
    expect(stats).toMatchObject({ delivered: 200, retries: 67 });
    expect(await server.verify(id)).toEqual({ restoredRanges: 0, restoredRetries: 0 });
  });

  it('stores dead letters with the offset of their events', async () => {
    const witness = new Witness();
    const { postgres, server, plan } = await setup(
      witness.responding(([n = 0]) => (n % 50 === 7 ? 400 : 200)),
    );
    const { id } = await plannedRun(server, { plan });
    await startWorker(postgres);
    const { stats } = await snapshotWhen(server, id, hasStatus('finished'));
    const lines = await server.deadLetters(id, 0, 100);
    const letters = lines.map((line) => JSON.parse(line.toString()) as Record<string, unknown>);
    expect(stats).toMatchObject({ delivered: 196, failed: 4, 'reason:status_400': 4 });
    expect(letters).toHaveLength(4);
    expect(JSON.stringify(letters[0])).toMatch(/"offset":\d+/);
  });

  it('gives back what is not done when it is stopped, and another one goes on there', async () => {
    const witness = new Witness();
    let isHeld = true;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { postgres, server, plan, target } = await setup(
      async (request, index) => {
        if (index >= 100 && isHeld) await held;
        return witness.responding()(request, index);
      },
      { count: 2_000 },
    );
    const { id } = await plannedRun(server, { plan });
    const first = await startWorker(postgres);
    await target.atLeast(101);
    const stopped = first.stop();
    isHeld = false;
    release();
    expect(await stopped).toBe(1);
    expect(first.lines).toContain('range 0 stopped');
    expect(witness.accepted.size).toBeLessThan(2_000);
    await startWorker(postgres);
    await snapshotWhen(server, id, hasStatus('finished'));
    expect(witness.missing(2_000)).toEqual([]);
    expect(witness.doubled).toBe(0);
  });

  it('ends also when nobody reads its log any more', async () => {
    const { postgres, server, plan, target } = await setup(() => ({}));
    await plannedRun(server, { plan });
    let stop: () => void = () => undefined;
    const full = new Promise<void>((resolve) => (stop = resolve));
    const log = { write: () => undefined, room: () => full, stop } as unknown as AttemptLog;
    const worker = await startWorker(postgres, { log });
    await target.atLeast(200);
    await worker.stop();
    expect(worker.lines.filter((line) => line.startsWith('range'))).toHaveLength(2);
  });

  it('stops for a part whose lease has ended, repeats at most 500 events, and counts each once', async () => {
    const witness = new Witness();
    const { postgres, server, plan, target } = await setup(witness.responding(), { count: 3_000 });
    const { id } = await plannedRun(server, { plan });
    await startWorker(postgres);
    await target.atLeast(600);
    await postgres.sql(`UPDATE evfwd_jobs.job SET heartbeat_on = now() - interval '1 min'`);
    const { stats } = await snapshotWhen(server, id, hasStatus('finished'));
    expect(witness.missing(3_000)).toEqual([]);
    expect(witness.doubled).toBeLessThanOrEqual(500);
    expect(stats.delivered).toBe(3_000);
  });

  it('fails the ranges of a file that has changed, by name, and does the others', async () => {
    const witness = new Witness();
    const { postgres, server, folder, target } = await setup(witness.responding());
    const other = join(folder, 'b.ndjson');
    appendFileSync(other, events(10, 200));
    const plan = planOf([join(folder, 'a.ndjson'), other], target.url);
    appendFileSync(join(folder, 'a.ndjson'), events(1));
    const { id } = await plannedRun(server, { plan });
    const worker = await startWorker(postgres);
    const { stats, ranges, problems } = await snapshotWhen(server, id, hasStatus('finished'));
    expect(ranges).toMatchObject({ done: 1, failed: 1 });
    expect(stats.delivered).toBe(10);
    expect(problems).toMatchObject([{ file: join(folder, 'a.ndjson'), ranges: 1 }]);
    expect(worker.lines.join('\n')).toMatch(/failed .*a\.ndjson: has .* bytes, not .*planned/);
    expect(worker.lines).toContain('range 0 failed');
    expect(worker.lines.join('\n')).not.toContain('lost');
  });

  it('refuses a run whose secret it lacks, once, and one of another format', async () => {
    const { postgres, server, plan, target } = await setup(() => ({}));
    const [{ scheme }] = signingBy('x-signature');
    const signing = [{ scheme, secretCheck: 'abcd', secretCount: 1 }];
    const { id } = await plannedRun(server, {
      plan: { ...plan, target: webhookTo([target.url], { signing }) },
    });
    await plannedRun(server, { plan: { ...plan, format: 99, program: '9.9.9' } });
    const worker = await startWorker(postgres);
    await lineWhen(worker.lines, /another version of evfwd \(9\.9\.9\)/);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(worker.lines).toHaveLength(2);
    expect(worker.lines[0]).toMatch(/^refused: needs the shared secret/);
    expect((await server.snapshot(id))?.ranges.done).toBe(0);
    expect(target.requests).toEqual([]);
  });

  it('leaves a run whose files it lacks to a worker that has them', async () => {
    const witness = new Witness();
    const { postgres, server, folder, target } = await setup(witness.responding(), { count: 50 });
    const planned = planOf([join(folder, 'a.ndjson')], target.url);
    const [file] = planned.files;
    const plan = { ...planned, files: [{ ...file!, path: '/elsewhere/a.ndjson' }] };
    const { id } = await plannedRun(server, { plan });
    const without = await startWorker(postgres);
    await lineWhen(without.lines, /^refused: \/elsewhere\/a\.ndjson: no such file.*--root/);
    const root = { from: '/elsewhere', to: folder };
    const having = await startWorker(postgres, { roots: [root] });
    await snapshotWhen(server, id, hasStatus('finished'));
    expect(having.lines[0]).toBe(`joined ${id}`);
    expect(without.lines).toHaveLength(1);
    expect(witness.missing(50)).toEqual([]);
  });

  it('fails the ranges of missing files if no other worker serves the run', async () => {
    const { postgres, server, plan } = await setup(() => ({}));
    rmSync(plan.files[0]!.path);
    const { id } = await plannedRun(server, { plan });
    await startWorker(postgres);
    const { ranges, problems } = await snapshotWhen(server, id, hasStatus('finished'));
    expect(ranges.failed).toBe(1);
    expect(problems[0]?.message).toMatch(/^no such file/);
  });

  it('stops when the run is paused or cancelled, and goes on when it is resumed', async () => {
    const witness = new Witness();
    const { postgres, server, plan, target } = await setup(witness.responding(), {
      count: 1_000,
      changes: { rate: 500 },
    });
    const { id } = await plannedRun(server, { plan });
    const worker = await startWorker(postgres);
    await target.atLeast(50);
    await server.pause(id, null);
    await lineWhen(worker.lines, /^left paused/);
    const count = target.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(target.requests).toHaveLength(count);
    expect(count).toBeLessThan(1_000);
    await server.resume(id);
    await target.atLeast(count + 50);
    await server.cancel(id);
    await lineWhen(worker.lines, /^left cancelled/);
    expect(witness.doubled).toBe(0);
  });

  it('leases hardly more turns than its requests take, also if each retry is an item of its own', async () => {
    const seen = new Map<string, number>();
    // Of 200 events whose first attempt fails, every second one fails once more: 300 retries. More failures in a row would
    // count as a URL that is down.
    const failuresOf = (n: number): number => (n % 10 === 0 ? 1 : n % 10 === 5 ? 2 : 0);
    const { postgres, server, plan } = await setup(
      ({ body }) => {
        const { messageId } = JSON.parse(body.toString()) as { messageId: string };
        const attempts = (seen.get(messageId) ?? 0) + 1;
        seen.set(messageId, attempts);
        const failures = failuresOf(Number(messageId.slice(1)));
        return { status: attempts <= failures ? 503 : 200 };
      },
      { count: 1_000, changes: { rate: 400 } },
    );
    const { id } = await plannedRun(server, { plan });
    let turns = 0;
    // One of them has the only part, the other one has retries alone.
    for (let n = 0; n < 2; n++) {
      const watched = watchedLeases(await storeOn(postgres), (leased) => (turns += leased));
      await startWorker(postgres, { server: watched });
    }
    const { stats } = await snapshotWhen(server, id, hasStatus('finished'));
    const requests = [...seen.values()].reduce((sum, count) => sum + count, 0);
    expect([stats.delivered, requests]).toEqual([1_000, 1_300]);
    expect(turns).toBeGreaterThanOrEqual(requests);
    // A few leased turns are never used: 5 % at most.
    expect(turns).toBeLessThan(1.05 * requests);
  });

  it('is no worker of a run any more when it has left it', async () => {
    const { postgres, server, plan, target } = await setup(() => ({}), {
      count: 1_000,
      changes: { rate: 500 },
    });
    const { id } = await plannedRun(server, { plan });
    // Of a worker that says nothing more, the report stays for a minute.
    const reports = () => postgres.sql('SELECT * FROM evfwd.run_worker');
    const [first] = [await startWorker(postgres), await startWorker(postgres)];
    await snapshotWhen(server, id, ({ workers }) => workers.length === 2);
    await target.atLeast(1);
    await first.stop();
    await expect.poll(reports).toHaveLength(1);
    await server.cancel(id);
    await expect.poll(reports).toHaveLength(0);
  });

  it('pauses a run of which everything fails', async () => {
    const { postgres, server, plan } = await setup(() => ({ status: 400 }), { count: 3_000 });
    const { id } = await plannedRun(server, { plan: { ...plan, stopAfter: { events: 20 } } });
    await startWorker(postgres);
    const { record, stats } = await snapshotWhen(server, id, hasStatus('paused'));
    expect(record.stopReason).toMatch(/were rejected or failed \(--stop-after 20\)/);
    expect(stats.failed).toBeGreaterThan(20);
  });

  it('applies a pause that the URL asks for to all workers', async () => {
    let isPaused = false;
    const { postgres, server, plan } = await setup(
      (_request, index) => {
        if (index !== 20) return {};
        isPaused = true;
        return { status: 429, headers: { 'retry-after': '2' } };
      },
      { count: 400, changes: { rate: 200 } },
    );
    const { id } = await plannedRun(server, { plan, pieceBytes: 10_000 });
    const [one, two] = [await startWorker(postgres), await startWorker(postgres)];
    await Promise.all([one, two].map(({ lines }) => lineWhen(lines, /^url paused/)));
    const { stats } = await snapshotWhen(server, id, hasStatus('finished'));
    expect(isPaused).toBe(true);
    expect(stats.delivered).toBe(400);
  });

  it('holds back what is sent to a URL that is down for one retry window, not for each range', async () => {
    const { postgres, server, target, folder } = await setup(() => ({ status: 503 }), {
      count: 800,
    });
    const plan = planOf([join(folder, 'a.ndjson')], target.url, {
      target: webhookTo([target.url], { retryWindowMs: 2_000 }),
    });
    const { id } = await plannedRun(server, { plan, pieceBytes: 10_000 });
    const asked: string[] = [];
    const watched = watchedProbes(await storeOn(postgres), () => asked.push('probe'));
    const worker = await startWorker(postgres, {
      ...{ server: watched, rangesFor: () => 1 },
      aheadMs: () => server.now() - Date.now(),
    });
    const end = await lineWhen(worker.lines, /^range \d+ done/);
    const askedBefore = asked.length;
    const { stats, ranges } = await snapshotWhen(server, id, hasStatus('finished'));
    expect(end).toBe('range 0 done');
    expect(ranges.done).toBeGreaterThan(5);
    expect(stats.failed).toBe(800);
    expect(askedBefore).toBeGreaterThan(0);
    expect(asked.length).toBe(askedBefore);
  });

  it('reads no more while too many events wait for a retry, and goes on when fewer do', async () => {
    const { postgres, server, target, folder } = await setup(() => ({ status: 503 }));
    const { id } = await crowdedRun(server, folder, target.url, 1_000);
    const options = { rangesFor: () => 1, maxWaiting: 100 };
    const both = [await startWorker(postgres, options), await startWorker(postgres, options)];
    let most = 0;
    const { stats } = await snapshotWhen(server, id, (snapshot) => {
      most = Math.max(most, snapshot.stats.retrying ?? 0);
      return hasStatus('finished')(snapshot);
    });
    await Promise.all(both.map(({ lines }) => lineWhen(lines, /^left finished/)));
    expect(most).toBeGreaterThanOrEqual(100);
    // At most 500 of the range were sent and not stored; a look may be a little older than the last commit.
    expect(most).toBeLessThanOrEqual(2 * 100 + 500);
    expect(stats.failed).toBe(1_200);
    expect(stats.retrying ?? 0).toBe(0);
  });

  it('ends at once while too many events wait for a retry, and another one goes on there', async () => {
    let status = 500;
    let index = 0;
    const witness = new Witness();
    // A response of 200 now and then: the URL is not down.
    const respond = witness.responding(() => (index++ % 8 === 0 ? 200 : status));
    const { postgres, server, target, folder } = await setup(respond);
    const { id } = await crowdedRun(server, folder, target.url, 60_000);
    const options = { rangesFor: () => 1, maxWaiting: 100 };
    const first = await startWorker(postgres, options);
    await snapshotWhen(server, id, ({ stats }) => (stats.retrying ?? 0) >= 100);
    expect(await first.stop()).toBe(1);
    expect(target.requests.length).toBeLessThan(1_200);
    status = 200;
    await startWorker(postgres, options);
    const { stats } = await snapshotWhen(server, id, hasStatus('finished'));
    expect(stats.delivered).toBe(1_200);
    expect(witness.missing(1_200)).toEqual([]);
    expect(witness.doubled).toBe(0);
  });

  it('tells that a URL is up which came back after the retry window', async () => {
    const { postgres, server, plan } = await setup(() => ({}));
    const { id } = await plannedRun(server, { plan });
    await server.notify(id, 0, { kind: 'down', sinceMs: server.now() - 3_600_000 });
    const worker = await startWorker(postgres);
    await snapshotWhen(server, id, hasStatus('finished'));
    expect(worker.lines).toEqual(expect.arrayContaining(['url down', 'url up']));
    expect(await server.notices(id)).toEqual([]);
  });

  it('does not work on a run that was removed', async () => {
    const { postgres, server, plan, target } = await setup(() => ({}), {
      count: 1_000,
      changes: { rate: 200 },
    });
    const { id } = await plannedRun(server, { plan });
    const worker = await startWorker(postgres);
    await target.atLeast(20);
    await server.cancel(id);
    await server.remove(id);
    await lineWhen(worker.lines, /^left (undefined|cancelled)/);
    await worker.stop();
    expect(await postgres.sql('SELECT * FROM evfwd.run')).toEqual([]);
    expect(await postgres.sql('SELECT * FROM evfwd_jobs.job')).toEqual([]);
  });

  it('goes on after the server was killed and started again', async () => {
    const witness = new Witness();
    const { postgres, server, plan, target } = await setup(witness.responding(), {
      count: 2_000,
      changes: { rate: 1_000 },
    });
    const { id } = await plannedRun(server, { plan });
    await startWorker(postgres);
    await target.atLeast(300);
    await postgres.kill();
    await postgres.start();
    const { stats } = await snapshotWhen(server, id, hasStatus('finished'));
    expect(witness.missing(2_000)).toEqual([]);
    expect(witness.doubled).toBeLessThanOrEqual(1_000);
    expect(stats.delivered).toBe(2_000);
  });
});
