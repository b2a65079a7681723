import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StateError } from '../../../src/errors.js';
import type { AttemptLog } from '../../../src/ledger/attempt-log.js';
import { withResolvers } from '../../../src/with-resolvers.js';
import { RangeCutter, type Range } from '../../../src/sources/range.js';
import type { Rest } from '../../../src/sources/read.js';
import { StoreCommitter, type Committer } from '../../../src/ledger/committer.js';
import { Histogram } from '../../../src/ledger/histogram.js';
import { DeadLetterFile } from '../../../src/ledger/dead-letter-file.js';
import { Progress, type PendingLine } from '../../../src/ledger/progress.js';
import { restOf } from '../../../src/ledger/resume.js';
import { ImportStore } from '../../../src/ledger/store.js';
import {
  ImportCoordinator,
  type ImportCoordinatorOptions,
} from '../../../src/importer/workers/import-coordinator.js';
import type { Commit, ProgressSnapshot } from '../../../src/importer/workers/messages.js';
import type { ReadLine } from '../../../src/importer/workers/range-tracker.js';
import { folderWith } from '../../helpers/folder.js';
import { lineAt, emptyCheckpoint } from '../../helpers/checkpoint.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { changesOf, commitOf, noCounts, waitingRow } from './commits.js';
import { runs } from '../../helpers/property-runs.js';

interface Opened {
  readonly coordinator: ImportCoordinator;
  readonly store: ImportStore;
  readonly clock: VirtualClock;
  /** What was reported to each thread: its number, and how many of its rows are durable. */
  readonly durable: (readonly [thread: number, rows: number])[];
  readonly deadLetterPath: string;
  /** A thread reports its progress alone. */
  readonly report: (snapshot: Partial<ProgressSnapshot>, thread: number) => void;
}

/** By default a coordinator of two threads over one file, with its state in memory. */
async function opened(
  change: Partial<ImportCoordinatorOptions> = {},
  store?: ImportStore,
): Promise<Opened> {
  const kept = store ?? (await ImportStore.open(':memory:'));
  const deadLetterPath = join(folderWith(), 'dead.ndjson');
  const clock = new VirtualClock();
  const durable: Opened['durable'] = [];
  const coordinator = new ImportCoordinator({
    store: kept,
    committer: new StoreCommitter(kept, new DeadLetterFile(deadLetterPath)),
    deadLetterPath,
    threads: 2,
    clock,
    onProblem: () => undefined,
    onDurable: (...notice) => durable.push(notice),
    onFailure: () => undefined,
    ...change,
  });
  const report: Opened['report'] = (snapshot, thread) =>
    coordinator.accept(commitOf({}, snapshot), thread);
  return { coordinator, store: kept, clock, durable, deadLetterPath, report };
}

/** `lines` lines of three bytes, in ranges of one line each. */
function rangesOf(lines: number): Range[] {
  const cutter = new RangeCutter(0, { line: 1, offset: 0 }, 1);
  const ranges = Array.from({ length: lines }, () => cutter.push(Buffer.from('{}\n')));
  return [...ranges.flat(), ...cutter.end()];
}

const full: Committer = {
  commit() {
    throw new StateError('the disk is full');
  },
  close: () => undefined,
};

describe('the reports of the threads', () => {
  it('say why events wait: by the latest of them, at first by one of an earlier run', async () => {
    const at = { attempts: 1, firstAt: 0, status: null, error: null, dueAt: 1 };
    const store = await ImportStore.open(':memory:');
    expect((await opened()).coordinator.retryCode).toBeUndefined();
    const earlier = waitingRow(1, { endpointDeliveries: [{ ...at, status: 503 }] });
    store.commit(changesOf({ putRetries: [earlier] }));
    const { coordinator } = await opened({}, store);
    expect(coordinator.retryCode).toBe('status_503');
    const delivered = { attempts: 1, firstAt: 0, status: 200, error: null, isDelivered: true };
    const later = waitingRow(3, { endpointDeliveries: [{ ...at, error: 'dns' }, delivered] });
    coordinator.accept(commitOf({ putRetries: [earlier, later] }), 0);
    coordinator.accept(commitOf(), 1);
    expect(coordinator.retryCode).toBe('dns');
  });

  it('are added up over threads, runs and commits', async () => {
    const before = await ImportStore.open(':memory:');
    before.commit(changesOf({ counts: { ...noCounts, delivered: 10, failed: 1 } }));
    const { coordinator, store, report } = await opened({}, before);
    report({ counts: { ...noCounts, delivered: 1 }, bytes: 10, rows: 1 }, 0);
    report({ counts: { ...noCounts, delivered: 3 }, bytes: 30, rows: 3 }, 0);
    coordinator.commit();
    coordinator.accept(
      commitOf({}, { counts: { ...noCounts, skipped: 2, disabled: 1, rejected: 1 }, rows: 3 }),
      1,
    );
    report({ counts: { ...noCounts, delivered: 5 }, bytes: 50, rows: 5, retries: 2 }, 0);
    coordinator.commit();
    expect([coordinator.read, coordinator.count('delivered'), coordinator.count('failed')]).toEqual(
      [19, 5, 0],
    );
    const summary = coordinator.finish(true);
    expect(summary).toMatchObject({ read: 19, delivered: 5, rejected: 1, failed: 0, retries: 2 });
    expect(summary).toMatchObject({ skipped: 13, pending: 0, bytes: 50 });
    expect(summary.skippedBy).toEqual({ filter: 1, integrations: 1, endpoints: 0, earlier: 11 });
    expect(summary.earlier).toEqual({ delivered: 10, rejected: 0, failed: 1 });
    expect(store.counts()).toEqual({
      ...{ delivered: 15, rejected: 1, failed: 1, skipped: 2, disabled: 1, unwanted: 0 },
    });
    expect(store.isFinished()).toBe(true);
  });

  it('have their reasons and URLs added up over the threads', async () => {
    const urls = ['http://a/', 'http://b/'];
    const { coordinator, report } = await opened({ urls });
    const of = (failed: number, lastReason: string | null) => [
      { url: 'http://a/', delivered: 3, failed: 0, lastReason: null },
      { url: 'http://b/', delivered: 3 - failed, failed, lastReason },
    ];
    report({ reasons: [{ code: 'timeout', count: 1 }], urls: of(1, 'timeout') }, 0);
    report({ reasons: [{ code: 'timeout', count: 2 }], urls: of(2, 'timeout') }, 0);
    report({ reasons: [{ code: 'status_401', count: 9 }], urls: of(0, null) }, 1);
    expect(coordinator.finish(true)).toMatchObject({
      reasons: [
        { code: 'status_401', count: 9 },
        { code: 'timeout', count: 2 },
      ],
      urls: [
        { url: 'http://a/', delivered: 6, failed: 0, lastReason: null },
        { url: 'http://b/', delivered: 4, failed: 2, lastReason: 'timeout' },
      ],
    });
  });

  it('are not all there while a range is assigned, or may be', async () => {
    const { coordinator, report } = await opened();
    const [range] = rangesOf(1);
    expect(coordinator.isReading).toBe(true);
    coordinator.assign(range!, 0);
    coordinator.noteReadAll();
    expect(coordinator.isReading).toBe(true);
    report({ doneRanges: 1 }, 0);
    expect(coordinator.isReading).toBe(false);
  });

  it('include the durations of the attempts of all threads', async () => {
    const { coordinator } = await opened();
    expect(coordinator.medianMs).toBeNull();
    [10, 30].forEach((ms, thread) => {
      const latency = new Histogram(coordinator.latency(thread));
      for (let i = 0; i <= thread; i++) latency.add(ms);
    });
    expect(coordinator.medianMs).toBeCloseTo(30, 0);
    const { latencyMs } = coordinator.finish(true);
    expect(latencyMs.p99).toBeCloseTo(30, 0);
  });

  it('pass on attempts and problems in order', async () => {
    const seen: string[] = [];
    const { coordinator } = await opened({
      onAttempt: ({ messageId }) => seen.push(messageId ?? ''),
      onProblem: ({ line }) => seen.push(`line ${line}`),
    });
    const result = { url: '', attempt: 1, at: 0, durationMs: 1, status: 400, error: null } as const;
    const attempt = { ...result, verdict: 'failed' } as const;
    const problem = { file: 'e', line: 7, verdict: 'failed', message: '' } as const;
    const shownAttempts = ['m1', 'm2'].map((messageId) => ({
      ...{ result: attempt, messageId, file: 'e', line: 7 },
    }));
    coordinator.accept(commitOf({ shownAttempts, problems: [problem] }), 1);
    expect(seen).toEqual(['m1', 'm2', 'line 7']);
  });

  it('leave open lines pending and the import unfinished', async () => {
    const { coordinator, store, report } = await opened();
    rangesOf(3).forEach((range, i) => coordinator.assign(range, i % 2));
    const lastRead = { file: 0, line: 1, offset: 0, length: 2 };
    report({ checkpoint: { lastRead, open: [[0, 1, 0, 1]] }, waiting: 2, rows: 2 }, 0);
    coordinator.commit();
    expect([coordinator.read, coordinator.waiting]).toEqual([3, 2]);
    expect(coordinator.finish(true)).toMatchObject({ read: 3, pending: 3 });
    expect(store.isFinished()).toBe(false);
    const { open } = store.checkpoint();
    expect(open.filter(([, , , , , isUnread]) => !isUnread)).toEqual([[0, 1, 0, 1]]);
    expect(open.filter(([, , , , , isUnread]) => isUnread).map(([, line]) => line)).toEqual([3, 2]);
  });

  it('just before the end are in the summary', async () => {
    const { coordinator, report, store } = await opened();
    report({ counts: { ...noCounts, delivered: 3 }, rows: 3 }, 1);
    expect(coordinator.finish(true)).toMatchObject({ read: 3, delivered: 3, pending: 0 });
    expect(store.isFinished()).toBe(true);
  });

  it('bring each dead letter to its file once, and the store has none at the end', async () => {
    const { coordinator, store, deadLetterPath } = await opened();
    const snapshot = { counts: { ...noCounts, failed: 1 }, rows: 1 };
    coordinator.accept(commitOf({ addDeadLetters: [Buffer.from('{"a":1}\n')] }, snapshot), 0);
    coordinator.accept(commitOf({ addDeadLetters: [Buffer.from('{"b":1}\n')] }, snapshot), 1);
    expect(existsSync(deadLetterPath)).toBe(false);
    expect(coordinator.finish(true).deadLetter).toBe(deadLetterPath);
    expect(readFileSync(deadLetterPath, 'utf8')).toBe('{"a":1}\n{"b":1}\n');
    expect(store.deadLetters()).toEqual([]);
  });
});

describe('a commit', () => {
  it('follows a report after a few milliseconds, and only a report', async () => {
    const { coordinator, clock, report, store } = await opened();
    expect(clock.waits).toEqual([]);
    report({ counts: { ...noCounts, delivered: 4 }, rows: 4 }, 1);
    clock.advance(4);
    report({ counts: { ...noCounts, delivered: 1 }, rows: 1 }, 0);
    expect(store.counts().delivered).toBe(0);
    clock.advance(1);
    expect(store.counts().delivered).toBe(5);
    expect(clock.waits).toEqual([]);
    report({ counts: { ...noCounts, delivered: 3 }, rows: 3 }, 0);
    coordinator.commit();
    expect(store.counts().delivered).toBe(7);
    expect(clock.waits).toEqual([]);
  });

  it('is reported to no thread while the log has no room, and to all when it has', async () => {
    const room = withResolvers();
    let isFull = true;
    const log = { room: () => (isFull ? room.promise : undefined), write: () => undefined };
    const { coordinator, report, durable, store } = await opened({
      log: log as unknown as AttemptLog,
    });
    report({ counts: { ...noCounts, delivered: 7 }, rows: 7 }, 0);
    coordinator.commit();
    report({ rows: 1 }, 1);
    coordinator.commit();
    expect([store.counts().delivered, durable]).toEqual([7, []]);
    isFull = false;
    room.resolve();
    await room.promise;
    expect(durable).toEqual([
      [0, 7],
      [1, 1],
    ]);
  });

  it('is not written when nothing is new', async () => {
    let commits = 0;
    const { coordinator, report } = await opened({
      committer: { commit: () => commits++, close: () => undefined },
    });
    coordinator.commit();
    report({ rows: 1 }, 0);
    coordinator.commit();
    coordinator.commit();
    expect(commits).toBe(1);
  });

  it('is reported to the threads whose rows it makes durable', async () => {
    const { coordinator, report, durable } = await opened();
    report({ rows: 4 }, 0);
    report({ rows: 2 }, 1);
    report({ rows: 3 }, 1);
    expect(durable).toEqual([]);
    coordinator.commit();
    report({ rows: 5 }, 0);
    coordinator.commit();
    // A thread may wait although no row of its last message is new.
    report({ rows: 5 }, 0);
    coordinator.commit();
    expect(durable).toEqual([
      [0, 4],
      [1, 3],
      [0, 5],
      [0, 5],
    ]);
  });

  it('that fails is reported once, makes nothing durable, and ends the run with its error', async () => {
    let failures = 0;
    const { coordinator, report, durable } = await opened({
      committer: full,
      onFailure: () => failures++,
    });
    for (let i = 0; i < 3; i++) {
      report({ rows: i }, 0);
      report({ rows: i }, 1);
      coordinator.commit();
    }
    expect([failures, durable]).toEqual([1, []]);
    expect(() => coordinator.finish(true)).toThrow('the disk is full');
  });
});

describe('events that wait for a retry', () => {
  it('since earlier runs are shared among the threads, the earliest first', async () => {
    const store = await ImportStore.open(':memory:');
    store.commit(changesOf({ putRetries: [5, 3, 1, 4, 2].map((id) => waitingRow(id)) }));
    const { coordinator } = await opened({}, store);
    expect(coordinator.retries.map((rows) => rows.map(({ id }) => id))).toEqual([
      [1, 3, 5],
      [2, 4],
    ]);
    expect(coordinator.waiting).toBe(5);
    coordinator.accept(commitOf({ deleteRetries: [1, 3] }, { waiting: 1 }), 0);
    expect(coordinator.waiting).toBe(3);
    coordinator.accept(commitOf({ deleteRetries: [5] }, { waiting: 0 }), 0);
    coordinator.accept(commitOf({ putRetries: [waitingRow(7)] }, { waiting: 3 }), 1);
    expect(coordinator.waiting).toBe(3);
  });

  it('are dropped if their line is read again', async () => {
    const store = await ImportStore.open(':memory:');
    const last = new Map([[0, { line: 2, offset: 3, length: 2 }]]);
    const checkpoint = { last, open: [[0, 1, 0, 1] as const] };
    store.commit(changesOf({ checkpoint, putRetries: [waitingRow(1), waitingRow(2)] }));
    const { coordinator } = await opened({}, store);
    expect(coordinator.retries.flat().map(({ id }) => id)).toEqual([2]);
    expect([coordinator.waiting, coordinator.read]).toEqual([1, 2]);
  });

  it('are kept if their line is only where reading begins', async () => {
    const store = await ImportStore.open(':memory:');
    const last = new Map([[0, { line: 4, offset: 9, length: 2 }]]);
    const checkpoint = { last, open: [[0, 1, 0, 4, 2, true] as const] };
    store.commit(changesOf({ checkpoint, putRetries: [1, 2, 3, 4].map((id) => waitingRow(id)) }));
    const { coordinator } = await opened({}, store);
    expect(coordinator.retries.flat().map(({ id }) => id)).toEqual([1, 2]);
  });

  it('are in the store as if each report had been committed by itself', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reported, { maxLength: 25 }), async (commits) => {
        const { coordinator, store } = await opened();
        const waiting = new Map<number, number>();
        for (const { thread, changes, isLast } of commits) {
          const put = new Map<number, number>();
          const deleted = new Set<number>();
          // Each row belongs to one thread, and only one that waits can be deleted.
          for (const { id, dueAt, ends } of changes.map((c) => ({ ...c, id: c.id * 2 + thread }))) {
            if (put.has(id) || deleted.has(id)) continue;
            if (!ends) put.set(id, dueAt);
            else if (waiting.has(id)) deleted.add(id);
          }
          for (const id of deleted) waiting.delete(id);
          for (const [id, dueAt] of put) waiting.set(id, dueAt);
          const putRetries = [...put].map(([id, dueAt]) => waitingRow(id, { dueAt }));
          const details = { putRetries, deleteRetries: [...deleted] };
          coordinator.accept(commitOf(details), thread);
          if (!isLast) continue;
          coordinator.commit();
          const rows = store.earliestRetries(100).map(({ id, dueAt }) => [id, dueAt] as const);
          expect(new Map(rows)).toEqual(waiting);
        }
      }),
      { numRuns: runs(60, 10) },
    );
  });
});

describe('a crash', () => {
  it('loses no line, whatever was reported before it', async () => {
    const name = fc.oneof(
      fc.constantFrom(...(['assign', 'take', 'deliver', 'wait', 'deliverRetry'] as const)),
      fc.constantFrom(...(['report', 'receive', 'commit', 'crash'] as const)),
    );
    const step = fc.record({ name, thread: fc.nat(1) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 100, size: 'max' }), async (steps) => {
        const store = await ImportStore.open(':memory:');
        let run = await ModelRun.start(store);
        for (const { name, thread } of steps) {
          if (name === 'crash') run = await ModelRun.start(store);
          else if (name === 'commit') run.commit();
          else if (name === 'assign') run.assign(thread);
          else run.threads[thread]![name]();
          const { last, open } = store.checkpoint();
          const left = open.reduce((sum, [, , , count, done = 0]) => sum + count - done, 0);
          const accounted = store.counts().delivered + store.retryCount() + left;
          expect(accounted).toBe(last.get(0)?.line ?? 0);
        }
      }),
      { numRuns: runs(300, 50) },
    );
  });
});

const modelLines = 40;

/** A run of two threads over a file of 40 lines of three bytes, in ranges of five. */
class ModelRun {
  readonly threads: readonly ModelThread[];
  readonly #opened: Opened;
  readonly #ranges: Range[];
  readonly #rest: Rest | undefined;

  /** Resumes from the checkpoint in the store. */
  static async start(store: ImportStore): Promise<ModelRun> {
    return new ModelRun(await opened({}, store));
  }

  private constructor(of: Opened) {
    this.#opened = of;
    this.#rest = restOf(of.store.checkpoint(), 0);
    const first = this.#rest?.start ?? { line: 1, offset: 0 };
    const cutter = new RangeCutter(0, first, 15);
    const lines = Array.from({ length: modelLines - first.line + 1 }, () => Buffer.from('{}\n'));
    this.#ranges = [...lines.flatMap((line) => cutter.push(line)), ...cutter.end()];
    this.threads = of.coordinator.retries.map((_rows, thread) => new ModelThread(of, thread));
  }

  assign(thread: number): void {
    const range = this.#ranges.shift();
    if (!range) return;
    this.#opened.coordinator.assign(range, thread);
    const lines = Array.from({ length: range.lines }, (_, i) => range.start.line + i);
    this.threads[thread]!.ranges.push(lines.filter((line) => this.#rest?.takes(line, 2) ?? true));
  }

  commit(): void {
    this.#opened.coordinator.commit();
  }
}

/** What a thread does, and what it reports. */
class ModelThread {
  /** Lines that are still to be read. */
  readonly ranges: number[][] = [];
  readonly #opened: Opened;
  readonly #thread: number;
  readonly #progress = new Progress(['e'], emptyCheckpoint);
  readonly #open: PendingLine[] = [];
  #lastRead: ReadLine | undefined;
  readonly #queue: Commit[] = [];
  readonly #due: number[];
  #delivered = 0;
  #rows = 0;
  #waiting: number;
  #doneRanges = 0;

  constructor(of: Opened, thread: number) {
    this.#opened = of;
    this.#thread = thread;
    this.#due = of.coordinator.retries[thread]!.map(({ id }) => id);
    this.#waiting = this.#due.length;
  }

  take(): void {
    while (this.ranges[0]?.length === 0) {
      this.ranges.shift();
      this.#doneRanges++;
    }
    const line = this.ranges[0]?.shift();
    if (line === undefined) return;
    const position = { line, offset: 3 * (line - 1), length: 2 };
    this.#lastRead = { file: 0, ...position };
    this.#open.push(this.#progress.open(lineAt({ file: 'e', ...position })));
  }

  deliver(): void {
    if (this.#closed(this.#open.shift())) this.#delivered++;
  }

  wait(): void {
    const line = this.#open.pop();
    if (!this.#closed(line)) return;
    this.#waiting++;
    const id = line!.position.line;
    this.#report({ putRetries: [waitingRow(id, { offset: 3 * (id - 1) })] });
  }

  /** A retry is delivered. */
  deliverRetry(): void {
    const id = this.#due.shift();
    if (id === undefined) return;
    this.#delivered++;
    this.#rows++;
    this.#waiting--;
    this.#report({ deleteRetries: [id] });
  }

  report(): void {
    this.#report({});
  }

  receive(): void {
    const message = this.#queue.shift();
    if (message) this.#opened.coordinator.accept(message, this.#thread);
  }

  #closed(line: PendingLine | undefined): boolean {
    if (line) this.#progress.close(line);
    if (line) this.#rows++;
    return line !== undefined;
  }

  #report(details: Partial<Commit>): void {
    this.#queue.push(commitOf(details, this.#snapshot()));
  }

  #snapshot(): Partial<ProgressSnapshot> {
    return {
      checkpoint: { lastRead: this.#lastRead, open: this.#progress.changes().open },
      counts: { ...noCounts, delivered: this.#delivered },
      rows: this.#rows,
      doneRanges: this.#doneRanges,
      waiting: this.#waiting,
    };
  }
}

const reported = fc.record({
  thread: fc.nat(1),
  changes: fc.array(fc.record({ id: fc.nat(4), dueAt: fc.nat(1_000), ends: fc.boolean() }), {
    maxLength: 4,
  }),
  /** Whether a commit follows; else it is committed together with the next one. */
  isLast: fc.boolean(),
});
