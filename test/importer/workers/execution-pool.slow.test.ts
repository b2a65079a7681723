import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { TargetSettings } from '../../../src/config/open-target.js';
import { findInputs } from '../../../src/sources/find-inputs.js';
import { readPart } from '../../../src/sources/part.js';
import type { Range } from '../../../src/sources/range.js';
import { ExecutionPool } from '../../../src/importer/workers/execution-pool.js';
import type {
  ItemExecution,
  ItemExecutionOptions,
} from '../../../src/importer/workers/item-execution.js';
import type { Commit, Job } from '../../../src/importer/workers/messages.js';
import { sharedCounts } from '../../../src/ledger/histogram.js';
import type { Checkpoint } from '../../../src/ledger/progress.js';
import { restOf } from '../../../src/ledger/resume.js';
import type { RetryRow } from '../../../src/ledger/retry-row.js';
import { emptyCheckpoint } from '../../helpers/checkpoint.js';
import { folderWith } from '../../helpers/folder.js';
import type { LeaseRequest } from '../../../src/turn-lease.js';
import { event } from '../../helpers/process.js';
import { receiverOfEachTest } from '../../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

const pools: ExecutionPool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

function poolOf(threads: number): ExecutionPool {
  const pool = new ExecutionPool(threads);
  pools.push(pool);
  return pool;
}

const padding = `,"context":{"pad":"${'x'.repeat(400)}"}`;

/** A file of `count` events from the number `first` on. */
function fileOf(count: number, first = 0): string {
  const lines = Array.from({ length: count }, (_, n) => `${event(first + n, padding)}\n`);
  return join(folderWith({ events: lines.join('') }), 'events');
}

async function* rangesOf(path: string, checkpoint: Checkpoint): AsyncGenerator<Range> {
  const [input] = await findInputs([path]);
  const start = restOf(checkpoint, 0)?.start;
  yield* readPart(input!, { from: 0, to: statSync(path).size, start });
}

async function* nothing(): AsyncGenerator<Range> {
  // A batch of retries has no ranges.
}

function settings(): TargetSettings {
  return {
    kind: 'webhooks',
    endpoints: [{ url: at.receiver.url }],
    where: 'the plan',
    timeoutMs: 5_000,
    retryWindowMs: 60_000,
    allUrls: false,
    ignoreIntegrations: false,
    ca: [],
  };
}

function jobOf(path: string, change: Partial<Job> = {}): Job {
  return {
    files: ['/plan/events'],
    paths: [path],
    canReread: [true],
    checkpoint: emptyCheckpoint,
    settings: settings(),
    concurrency: 8,
    latency: sharedCounts(),
    maxUncommitted: 500,
    selection: {},
    stamp: { ids: 'keep', seed: '' },
    rate: undefined,
    retries: [],
    retryIds: { last: 0, step: 1 },
    urls: [],
    reportsAttempts: false,
    isVerbose: false,
    ownsCheckpoint: true,
    exportsRetries: true,
    countsOpen: true,
    ...change,
  };
}

/** One item, as a worker keeps it: its commits, answered at once unless `isSlow`. */
class Item {
  readonly commits: Commit[] = [];
  execution: ItemExecution | undefined;
  isSlow = false;

  constructor(
    readonly pool: ExecutionPool,
    readonly job: Job,
  ) {}

  start(change: Partial<ItemExecutionOptions> = {}): ItemExecution {
    const { job } = this;
    this.execution = this.pool.start({
      job,
      ranges: job.retries.length > 0 ? nothing() : rangesOf(job.paths![0]!, job.checkpoint),
      onCommit: (commit) => {
        this.commits.push(commit);
        if (!this.isSlow) this.answer();
      },
      onNotice: () => undefined,
      onDown: () => undefined,
      onRefused: () => undefined,
      lease: () => Promise.reject(new Error('not asked for')),
      releaseTurns: () => undefined,
      mayProbe: () => Promise.resolve(true),
      ...change,
    });
    return this.execution;
  }

  answer(): void {
    this.execution!.durable(this.commits.at(-1)!.snapshot.rows);
  }

  /** As a later worker gets it. */
  get checkpoint(): Checkpoint {
    const { lastRead, open } = this.commits.at(-1)!.snapshot.checkpoint;
    if (!lastRead) return { last: new Map(), open };
    const { file, ...last } = lastRead;
    return { last: new Map([[file, last]]), open };
  }

  get putRetries(): RetryRow[] {
    return this.commits.flatMap(({ putRetries }) => putRetries);
  }

  get deleted(): number[] {
    return this.commits.flatMap(({ deleteRetries }) => deleteRetries);
  }

  get deadLetters(): Record<string, unknown>[] {
    const lines = this.commits.flatMap(({ addDeadLetters }) => addDeadLetters);
    return lines.map((line) => JSON.parse(Buffer.from(line).toString()) as Record<string, unknown>);
  }
}

describe.each([0, 1, 2])('items executed by %i threads', (threads) => {
  it('send each event once, each item with its own commits', async () => {
    const pool = poolOf(threads);
    const items = [0, 1, 2].map((n) => new Item(pool, jobOf(fileOf(1_000, n * 1_000))));
    const ended = items.map((item) => item.start().ended);
    expect(await Promise.all(ended)).toEqual(items.map(() => ({ hasReadAll: true })));
    expect(at.witness.missing(3_000)).toEqual([]);
    expect(at.witness.doubled).toBe(0);
    for (const item of items) {
      expect(item.commits.at(-1)!.snapshot.counts.delivered).toBe(1_000);
      const { last, open } = item.checkpoint;
      expect(open).toEqual([]);
      expect(last.get(0)).toMatchObject({ line: 1_000, hash: expect.stringMatching(/^\w{16}$/) });
    }
  });

  it('go on where an earlier one was stopped, and repeat nothing', async () => {
    const path = fileOf(2_000);
    let checkpoint = emptyCheckpoint;
    let delivered = 0;
    for (const stopAt of [300, 900, Infinity]) {
      const item = new Item(poolOf(threads), jobOf(path, { checkpoint }));
      at.statusOf = () => {
        if (at.receiver.requests.length >= stopAt) item.execution!.stop();
        return 200;
      };
      const { hasReadAll } = await item.start().ended;
      expect(hasReadAll).toBe(stopAt === Infinity);
      ({ checkpoint } = item);
      delivered += item.commits.at(-1)!.snapshot.counts.delivered;
    }
    expect(at.witness.missing(2_000)).toEqual([]);
    expect(at.witness.doubled).toBe(0);
    expect(delivered).toBe(2_000);
  });

  it('never have more events sent than may be repeated', async () => {
    const item = new Item(poolOf(threads), jobOf(fileOf(1_500)));
    item.isSlow = true;
    const { ended } = item.start();
    for (const rows of [500, 1_000, 1_500]) {
      await at.receiver.atLeast(rows);
      // Everything sent is committed soon after, and only then is more sent.
      await expect.poll(() => item.commits.at(-1)!.snapshot.rows).toBe(rows);
      expect(at.receiver.requests).toHaveLength(rows);
      item.answer();
    }
    expect(await ended).toEqual({ hasReadAll: true });
  });

  it('hand on events that are to be retried', async () => {
    at.statusOf = (n) => (n % 10 === 3 ? 500 : 200);
    const item = new Item(poolOf(threads), jobOf(fileOf(100)));
    expect(await item.start().ended).toEqual({ hasReadAll: true });
    const { counts, waiting } = item.commits.at(-1)!.snapshot;
    expect([counts.delivered, waiting, item.putRetries.length]).toEqual([90, 0, 10]);
    expect(item.checkpoint.open).toEqual([]);
    expect(new Set(item.putRetries.map(({ id }) => id)).size).toBe(10);
  });

  it('read nothing more while they are held, beside others that go on', async () => {
    const pool = poolOf(threads);
    const heldFromTheStart = new Item(pool, jobOf(fileOf(100)));
    const heldLater = new Item(pool, jobOf(fileOf(2_000, 1_000)));
    const [one, two] = [heldFromTheStart.start(), heldLater.start()];
    one.holdReading(true);
    await at.receiver.atLeast(100);
    two.holdReading(true);
    const other = new Item(pool, jobOf(fileOf(2_000, 10_000)));
    await other.start().ended;
    const seen = [...at.witness.seen.keys()].filter((n) => n < 10_000);
    expect(Math.min(...seen)).toBe(1_000);
    expect(seen.length).toBeLessThan(1_900);
    one.holdReading(false);
    two.holdReading(false);
    expect(await Promise.all([one.ended, two.ended])).toEqual([
      { hasReadAll: true },
      { hasReadAll: true },
    ]);
    expect(at.witness.doubled).toBe(0);
    expect(at.witness.accepted.size).toBe(4_100);
  });

  it('end at once when they are stopped while they are held', async () => {
    const item = new Item(poolOf(threads), jobOf(fileOf(100)));
    const execution = item.start();
    execution.holdReading(true);
    execution.stop();
    // Also if it is told later, by a look that was under way.
    execution.holdReading(true);
    expect(await execution.ended).toEqual({ hasReadAll: false });
    expect(at.receiver.requests).toEqual([]);
  });
});

describe('a batch of retries', () => {
  /** The rows of ten events that were attempted once, due now. */
  async function batch(path: string, pool: ExecutionPool): Promise<RetryRow[]> {
    at.statusOf = () => 500;
    const item = new Item(pool, jobOf(path));
    await item.start().ended;
    return item.putRetries.map((row) => ({
      ...row,
      dueAt: Date.now(),
      endpointDeliveries: row.endpointDeliveries.map((one) => ({ ...one, dueAt: Date.now() })),
    }));
  }

  it('deletes the rows that have ended, and puts those that fail again', async () => {
    const pool = poolOf(1);
    const path = fileOf(10);
    const retries = await batch(path, pool);
    at.statusOf = (n) => (n < 3 ? 500 : n < 5 ? 404 : 200);
    const item = new Item(pool, jobOf(path, { retries }));
    expect(await item.start().ended).toEqual({ hasReadAll: true });
    const ids = (rows: readonly RetryRow[]) => rows.map(({ id }) => id).sort((a, b) => a - b);
    expect(item.putRetries).toHaveLength(3);
    expect(item.putRetries.every(({ endpointDeliveries: [one] }) => one!.attempts === 2)).toBe(
      true,
    );
    expect([...item.deleted, ...ids(item.putRetries)].sort((a, b) => a - b)).toEqual(ids(retries));
    expect(item.commits.at(-1)!.snapshot).toMatchObject({
      counts: { delivered: 5, failed: 2 },
      retries: 10,
    });
    for (const letter of item.deadLetters) {
      expect(letter).toMatchObject({
        file: '/plan/events',
        attempts: 2,
        offset: expect.any(Number),
      });
      expect(letter).not.toHaveProperty('line');
    }
  });

  it('neither puts nor deletes what has not ended when it is stopped', async () => {
    const pool = poolOf(1);
    const path = fileOf(10);
    const retries = await batch(path, pool);
    const sent = at.receiver.requests.length;
    const item = new Item(pool, jobOf(path, { retries, concurrency: 1 }));
    at.statusOf = () => {
      if (at.receiver.requests.length === sent + 2) item.execution!.stop();
      return at.receiver.requests.length > sent + 1 ? 500 : 200;
    };
    expect(await item.start().ended).toEqual({ hasReadAll: false });
    expect(item.deleted).toHaveLength(1);
    expect(item.putRetries.map(({ endpointDeliveries: [one] }) => one!.attempts)).toEqual([2]);
  });
});

describe('an ordered item', () => {
  it('sends the events of a user one after the other, also after a retry, in memory', async () => {
    let failures = 1;
    at.statusOf = (n) => (n === 4 && failures-- > 0 ? 500 : 200);
    const path = fileOf(30);
    const job = jobOf(path, { isOrdered: true, exportsRetries: false });
    const item = new Item(poolOf(1), { ...job, settings: { ...settings(), retryWindowMs: 800 } });
    expect(await item.start().ended).toEqual({ hasReadAll: true });
    expect(item.putRetries).toEqual([]);
    expect(at.witness.missing(30)).toEqual([]);
  });
});

describe('a retry of an ordered item', () => {
  it('takes a turn of the rate, as a first attempt does', async () => {
    const path = fileOf(40);
    const seen = new Set<number>();
    at.statusOf = (n) => {
      const isFirst = !seen.has(n);
      seen.add(n);
      return isFirst && n % 2 === 1 ? 503 : 200;
    };
    const job = jobOf(path, {
      isOrdered: true,
      exportsRetries: false,
      leasesTurns: true,
      rate: 200,
    });
    const item = new Item(poolOf(1), {
      ...job,
      settings: { ...settings(), retryWindowMs: 30_000 },
    });
    let granted = 0;
    const lease = ({ unused }: LeaseRequest) => {
      granted += 1 - unused;
      return Promise.resolve({ inMs: 0, turns: 1, intervalMs: 1 });
    };
    const { ended } = item.start({
      lease,
      releaseTurns: ({ leases, unused }) => {
        granted -= leases.reduce((sum, { turns }) => sum + turns, unused);
      },
    });
    expect(await ended).toEqual({ hasReadAll: true });
    expect(at.receiver.requests).toHaveLength(60);
    // A turn is lost where the URL goes down in between.
    expect(granted).toBeGreaterThanOrEqual(60);
    expect([item.putRetries, item.deleted]).toEqual([[], []]);
  });

  it('leaves the line open for whoever goes on, as long as it waits', async () => {
    const path = fileOf(30);
    at.statusOf = (n) => (n === 4 ? 503 : 200);
    const job = jobOf(path, { isOrdered: true, exportsRetries: false });
    const item = new Item(poolOf(1), job);
    const { ended } = item.start();
    await expect
      .poll(() => item.checkpoint.open.map(([, line, , count]) => [line, count]))
      .toEqual([[5, 1]]);
    item.execution!.stop();
    expect(await ended).toEqual({ hasReadAll: false });
    at.statusOf = () => 200;
    const next = new Item(poolOf(1), { ...job, checkpoint: item.checkpoint });
    expect(await next.start().ended).toEqual({ hasReadAll: true });
    expect([at.witness.missing(30), item.putRetries, next.putRetries]).toEqual([[], [], []]);
  });

  it('can wait where as many lines are open as may be', async () => {
    let failures = 4;
    at.statusOf = (n) => (n < 4 && failures-- > 0 ? 503 : 200);
    const path = fileOf(30);
    const job = jobOf(path, { isOrdered: true, exportsRetries: false, maxUncommitted: 2 });
    const item = new Item(poolOf(1), { ...job, concurrency: 1 });
    expect(await item.start().ended).toEqual({ hasReadAll: true });
    expect([at.witness.missing(30), item.putRetries]).toEqual([[], []]);
  });
});

describe('the host of an item', () => {
  it('says when events are sent, and is asked for more turns in time', async () => {
    const job = jobOf(fileOf(100), { leasesTurns: true, rate: 200 });
    const item = new Item(poolOf(1), job);
    const startedAt = performance.now();
    let nextAt = 0;
    const lease = () => {
      const inMs = Math.max(0, nextAt - performance.now());
      nextAt = Math.max(nextAt, performance.now()) + 50;
      return Promise.resolve({ inMs, turns: 10, intervalMs: 5 });
    };
    expect(await item.start({ lease }).ended).toEqual({ hasReadAll: true });
    // The last of ten leases begins after 450 ms, and its last turn is 45 ms later.
    expect(performance.now() - startedAt).toBeGreaterThan(490);
    expect(at.witness.missing(100)).toEqual([]);
  });

  it('whose turns cannot be had ends it with the error', async () => {
    const item = new Item(poolOf(1), jobOf(fileOf(10), { leasesTurns: true, rate: 200 }));
    await expect(item.start().ended).rejects.toThrow('not asked for');
    expect(at.receiver.requests).toEqual([]);
  });

  it('can stop an item that waits for its turn', async () => {
    const item = new Item(poolOf(1), jobOf(fileOf(10), { leasesTurns: true, rate: 200 }));
    const asked = new Promise<void>((resolve) => {
      item.start({
        lease: () => {
          resolve();
          return new Promise(() => undefined);
        },
      });
    });
    await asked;
    item.execution!.stop();
    expect(await item.execution!.ended).toEqual({ hasReadAll: false });
  });

  it('is asked before each probe of a URL that is down, and told when it is up', async () => {
    const job = jobOf(fileOf(200), { asksBeforeProbe: true });
    const item = new Item(poolOf(1), { ...job, concurrency: 64 });
    const told: string[] = [];
    let probes = 0;
    at.statusOf = () => (probes === 0 ? 500 : 200);
    const { ended } = item.start({
      onNotice: (queue, { kind }) => told.push(`${queue} ${kind}`),
      mayProbe: (queue) => Promise.resolve(queue === 0 && ++probes > 0),
    });
    expect(await ended).toEqual({ hasReadAll: true });
    expect([told, probes]).toEqual([['0 down', '0 up'], 1]);
  });

  it('can hold an item until a URL is up again', async () => {
    const item = new Item(poolOf(1), jobOf(fileOf(50), { asksBeforeProbe: true }));
    let asked: () => void = () => undefined;
    const refused = new Promise<void>((resolve) => (asked = resolve));
    const execution = item.start({
      mayProbe: () => {
        asked();
        return Promise.resolve(false);
      },
    });
    execution.applyNotice(0, { kind: 'down', sinceMs: Date.now() });
    // Also told before the item has begun.
    await refused;
    expect(at.receiver.requests).toEqual([]);
    execution.applyNotice(0, { kind: 'up' });
    expect(await execution.ended).toEqual({ hasReadAll: true });
    expect(at.witness.missing(50)).toEqual([]);
  });
});

describe('a pool', () => {
  it('ends the items of a thread that fails unexpectedly, and goes on with another thread', async () => {
    const pool = poolOf(1);
    const path = fileOf(100);
    const bad = new Item(pool, jobOf(path, { selection: null as never }));
    await expect(bad.start().ended).rejects.toThrow(/null/);
    const item = new Item(pool, jobOf(path));
    expect(await item.start().ended).toEqual({ hasReadAll: true });
  });

  it('ends an item that fails unexpectedly in this thread', async () => {
    const bad = new Item(poolOf(0), jobOf(fileOf(1), { selection: null as never }));
    await expect(bad.start().ended).rejects.toThrow(/null/);
  });

  it('ends an item whose file cannot be read with that error', async () => {
    const pool = poolOf(1);
    async function* broken(): AsyncGenerator<Range> {
      yield* rangesOf(fileOf(10), emptyCheckpoint);
      throw new Error('cannot read on');
    }
    const item = new Item(pool, jobOf(fileOf(10)));
    await expect(item.start({ ranges: broken() }).ended).rejects.toThrow('cannot read on');
    expect(item.commits.at(-1)!.snapshot.counts.delivered).toBe(at.witness.accepted.size);
  });

  it('stops what it executes when it is closed', async () => {
    const pool = poolOf(2);
    const item = new Item(pool, jobOf(fileOf(20_000)));
    const { ended } = item.start();
    await at.receiver.atLeast(100);
    await pool.close();
    expect(await ended).toEqual({ hasReadAll: false });
    expect(item.commits.at(-1)!.snapshot.counts.delivered).toBe(at.witness.accepted.size);
  });
});
