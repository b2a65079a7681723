import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TargetSettings } from '../../../src/config/open-target.js';
import { StateError } from '../../../src/errors.js';
import { findInputs } from '../../../src/sources/find-inputs.js';
import type { Range } from '../../../src/sources/range.js';
import { readRanges } from '../../../src/sources/ranges.js';
import { StoreCommitter, type Committer } from '../../../src/ledger/committer.js';
import { DeadLetterFile } from '../../../src/ledger/dead-letter-file.js';
import { restOf } from '../../../src/ledger/resume.js';
import { plainCheckpoint } from '../../../src/ledger/progress.js';
import { ImportStore } from '../../../src/ledger/store.js';
import type { Summary } from '../../../src/ledger/summary.js';
import { JobThread } from '../../../src/importer/workers/job-thread.js';
import { WorkerPool } from '../../../src/importer/workers/worker-pool.js';
import { ImportCoordinator } from '../../../src/importer/workers/import-coordinator.js';
import type { Job } from '../../../src/importer/workers/messages.js';
import { systemClock } from '../../../src/clock.js';
import { folderWith } from '../../helpers/folder.js';
import { addsUp, event } from '../../helpers/process.js';
import { receiverOfEachTest } from '../../helpers/witnessed-receiver.js';

/** The message ports of the test runner. */
const ports = process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

const at = receiverOfEachTest();

const count = 300;
const bytesAnEvent = 9_000;

/** Two files, large enough that there are ranges for all threads. */
function files(): string[] {
  const padding = `,"context":{"pad":"${'x'.repeat(bytesAnEvent)}"}`;
  const lines = Array.from({ length: count }, (_, n) => `${event(n, padding)}\n`);
  const cwd = folderWith({
    a: lines.slice(0, 120).join('\n'),
    b: `\ufeff${lines.slice(120).join('').replaceAll('\n', '\r\n')}\n \n`,
  });
  return [join(cwd, 'a'), join(cwd, 'b')];
}

interface Run {
  readonly paths: readonly string[];
  readonly store: ImportStore;
  readonly interrupted?: AbortSignal;
  readonly committer?: (whole: Committer) => Committer;
  readonly ranges?: (whole: AsyncGenerator<Range>) => AsyncGenerator<Range>;
  readonly change?: (job: Job, thread: number) => Job;
  readonly onDown?: (url: string, isDown: boolean) => void;
}

/** One run of an import by two threads. */
async function run(options: Run): Promise<Summary> {
  const { paths, store, change = (job) => job } = options;
  const deadLetterPath = join(folderWith(), 'dead.ndjson');
  const whole = new StoreCommitter(store, new DeadLetterFile(deadLetterPath));
  let workerPool: WorkerPool | undefined = undefined;
  const coordinator: ImportCoordinator = new ImportCoordinator({
    store,
    committer: options.committer?.(whole) ?? whole,
    deadLetterPath,
    threads: 2,
    clock: systemClock,
    onProblem: () => undefined,
    onDurable: (thread, rows) => workerPool?.durable(thread, rows),
    onFailure: () => workerPool?.stop(),
  });
  const checkpoint = plainCheckpoint(store.checkpoint());
  const jobs = coordinator.retries.map((retries, thread): Job => {
    const retryIds = { last: store.lastRetryId() + thread, step: 2 };
    const stamp = { ids: 'keep', seed: '' } as const;
    const settings = settingsOf(at.receiver.url);
    const job = { files: paths, canReread: [true, true], checkpoint, settings, concurrency: 8 };
    const all = { ...job, selection: {}, stamp, rate: undefined, retries, retryIds };
    const latency = coordinator.latency(thread);
    const shared = {
      latency,
      maxUncommitted: 250,
      reportsAttempts: false,
      isVerbose: false,
      urls: [],
    };
    return change({ ...all, ...shared }, thread);
  });
  const ranges = readRanges(await findInputs(paths), {
    rest: (index) => restOf(checkpoint, index),
  });
  workerPool = new WorkerPool({
    jobs,
    newThread: () => new JobThread(),
    coordinator,
    ranges: options.ranges?.(ranges) ?? ranges,
    interrupted: options.interrupted ?? new AbortController().signal,
    onDown: options.onDown ?? (() => undefined),
    onRefused: () => undefined,
    onWarnings: () => undefined,
  });
  await workerPool.run().finally(() => coordinator.commit());
  return coordinator.finish(options.interrupted === undefined);
}

function settingsOf(url: string): TargetSettings {
  return {
    kind: 'webhooks',
    endpoints: [{ url }],
    where: '--url',
    timeoutMs: 5_000,
    retryWindowMs: 60_000,
    allUrls: false,
    ignoreIntegrations: false,
    ca: [],
  };
}

/** Threads of this process that were started and have not ended. */
function workers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length - ports;
}

/** A run without special options sends the rest. */
async function expectRest(paths: readonly string[], store: ImportStore): Promise<void> {
  const summary = await run({ paths, store });
  expect(summary).toMatchObject({ read: count, pending: 0, rejected: 0, failed: 0 });
  expect(addsUp(summary)).toBe(true);
  expect(at.witness.missing(count)).toEqual([]);
  expect(store.isFinished()).toBe(true);
}

describe('the threads of an import', () => {
  it('send each event once, and count all', async () => {
    const store = await ImportStore.open(':memory:');
    await expectRest(files(), store);
    expect(at.witness.doubled).toBe(0);
    expect(store.checkpoint().open).toEqual([]);
  });

  it('send the retries of an earlier run, and nothing else again', async () => {
    const store = await ImportStore.open(':memory:');
    const paths = files();
    const isLate = (n: number): boolean => n >= count - 3;
    const stopper = new AbortController();
    at.statusOf = (n) => {
      if (at.witness.completes(count, n)) stopper.abort();
      return isLate(n) ? 503 : 200;
    };
    const first = await run({ paths, store, interrupted: stopper.signal });
    expect(first).toMatchObject({ read: count, pending: 3, delivered: count - 3 });
    expect(store.retryCount()).toBeGreaterThan(0);
    at.statusOf = () => 200;
    await expectRest(paths, store);
    expect(at.witness.doubled).toBe(0);
    expect(store.retryCount()).toBe(0);
  });

  it('end at once when they are interrupted before they begin', async () => {
    const store = await ImportStore.open(':memory:');
    const paths = files();
    const summary = await run({ paths, store, interrupted: AbortSignal.abort() });
    expect(summary).toMatchObject({ read: 0, pending: 0 });
    expect(at.receiver.requests).toEqual([]);
    await expectRest(paths, store);
  });

  it('lose and duplicate nothing when they are interrupted', async () => {
    const store = await ImportStore.open(':memory:');
    const paths = files();
    for (const after of [1, 90, 60]) {
      const stopper = new AbortController();
      const until = at.receiver.requests.length + after;
      at.statusOf = () => {
        if (at.receiver.requests.length >= until) stopper.abort();
        return 200;
      };
      const summary = await run({ paths, store, interrupted: stopper.signal });
      expect(addsUp(summary)).toBe(true);
      expect(summary.read).toBeLessThanOrEqual(count);
    }
    await expectRest(paths, store);
    expect(at.witness.doubled).toBe(0);
  });

  it('report that a URL is down, and that it has recovered', async () => {
    const changes: string[] = [];
    at.statusOf = () => (changes.length === 0 ? 500 : 200);
    const store = await ImportStore.open(':memory:');
    const stopper = new AbortController();
    const onDown = (_url: string, isDown: boolean): void => {
      changes.push(isDown ? 'down' : 'up');
      if (changes.length === 2) stopper.abort();
    };
    await run({ paths: files(), store, interrupted: stopper.signal, onDown });
    // One thread may find it down only when another has found it up again.
    expect(changes.slice(0, 2)).toEqual(['down', 'up']);
  });
});

describe('an import whose', () => {
  const settings = settingsOf('http://localhost/');

  it.each([
    ['cannot start', { settings: { ...settings, endpoints: [{ url: 'no-url' }] } }, /no-url/],
    ['fails with an unexpected error', { selection: null }, /null/],
    ['fails at its start', { retries: [{ id: 1 }] }, /undefined/],
  ])(
    'thread %s ends with its error; the others are drained and saved',
    async (_what, bad, message) => {
      const store = await ImportStore.open(':memory:');
      const paths = files();
      const change = (job: Job, thread: number): Job =>
        thread === 1 ? { ...job, ...(bad as object) } : job;
      await expect(run({ paths, store, change })).rejects.toThrow(message);
      expect(store.counts().delivered).toBe(at.witness.accepted.size);
      expect(store.isFinished()).toBe(false);
      await expectRest(paths, store);
      expect(at.witness.doubled).toBe(0);
    },
  );

  it('second thread cannot be started ends the first, sends nothing, and says so in one line', async () => {
    const store = await ImportStore.open(':memory:');
    const paths = files();
    const change = (job: Job, thread: number): Job =>
      thread === 1 ? ({ ...job, uncloneable: () => undefined } as Job) : job;
    const failed = run({ paths, store, change });
    await expect(failed).rejects.toThrow(
      /^worker thread 2 could not be started \(.* could not be cloned\.\); use a smaller --threads$/,
    );
    await expect(failed).rejects.toMatchObject({ exitCode: 2 });
    expect(at.receiver.requests).toEqual([]);
    expect(workers()).toBe(0);
    await expectRest(paths, store);
  });

  it('input cannot be read ends with that error; what was read is sent and saved', async () => {
    const store = await ImportStore.open(':memory:');
    const paths = files();
    async function* two(whole: AsyncGenerator<Range>): AsyncGenerator<Range> {
      yield (await whole.next()).value as Range;
      yield (await whole.next()).value as Range;
      throw new Error('cannot read on');
    }
    await expect(run({ paths, store, ranges: two })).rejects.toThrow('cannot read on');
    expect(store.counts().delivered).toBe(at.witness.accepted.size);
    await expectRest(paths, store);
    expect(at.witness.doubled).toBe(0);
  });

  it.each([0, 3])('state can only be written %i times ends with that error', async (times) => {
    const store = await ImportStore.open(':memory:');
    const paths = files();
    let left = times;
    const committer = (whole: Committer): Committer => ({
      commit: (changes) => {
        if (left-- <= 0) throw new StateError('the disk is full');
        whole.commit(changes);
      },
      close: () => whole.close(),
    });
    await expect(run({ paths, store, committer })).rejects.toThrow('the disk is full');
    await expectRest(paths, store);
    expect([...at.witness.ids.values()].every(({ size }) => size === 1)).toBe(true);
  });
});
