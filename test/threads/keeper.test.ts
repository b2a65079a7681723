import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StateError } from '../../src/errors.js';
import { RangeCutter, type Range } from '../../src/events/range.js';
import { StoreCommitter, type Committer } from '../../src/ledger/committer.js';
import { LetterFile } from '../../src/ledger/letter-file.js';
import { ImportStore } from '../../src/ledger/store.js';
import { Keeper, type KeeperOptions } from '../../src/threads/keeper.js';
import { folderWith } from '../helpers/folder.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { commitOf, noCounts, waitingRow } from './commits.js';

interface Opened {
  readonly keeper: Keeper;
  readonly store: ImportStore;
  readonly clock: VirtualClock;
  /** What the threads were told: `[thread, rows]`. */
  readonly durable: [number, number][];
  readonly letterPath: string;
}

/** A keeper of two threads over one file, with its state in memory, unless told otherwise. */
async function opened(change: Partial<KeeperOptions> = {}, store?: ImportStore): Promise<Opened> {
  const kept = store ?? (await ImportStore.open(':memory:'));
  const letterPath = join(folderWith(), 'dead.ndjson');
  const clock = new VirtualClock();
  const durable: [number, number][] = [];
  const keeper = new Keeper({
    store: kept,
    committer: new StoreCommitter(kept, new LetterFile(letterPath)),
    letterPath,
    files: 1,
    threads: 2,
    clock,
    onTrouble: () => undefined,
    onDurable: (thread, rows) => durable.push([thread, rows]),
    onFailure: () => undefined,
    ...change,
  });
  return { keeper, store: kept, clock, durable, letterPath };
}

/** So many lines of three bytes, in ranges of one line each. */
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

describe('what the threads tell', () => {
  it('is added up over threads, runs and commits', async () => {
    const before = await ImportStore.open(':memory:');
    before.commit(commitOf({ counts: { ...noCounts, delivered: 10, failed: 1 } }));
    const { keeper, store } = await opened({}, before);
    keeper.take(commitOf({ counts: { ...noCounts, delivered: 3 }, bytes: 30, rows: 3 }), 0);
    keeper.take(commitOf({ counts: { ...noCounts, skipped: 2, rejected: 1 }, rows: 3 }), 1);
    keeper.take(commitOf({ counts: { ...noCounts, delivered: 5 }, bytes: 50, rows: 2 }), 0);
    expect([keeper.read, keeper.count('delivered'), keeper.count('failed')]).toEqual([19, 5, 0]);
    const summary = await keeper.finish(true);
    expect(summary).toMatchObject({ read: 19, delivered: 5, rejected: 1, failed: 1 });
    expect(summary).toMatchObject({ skipped: 12, pending: 0, bytes: 50 });
    expect(store.counts()).toEqual({ delivered: 15, rejected: 1, failed: 1, skipped: 2 });
    expect(store.isFinished()).toBe(true);
  });

  it('has the tries, and every attempt and trouble is passed on in its order', async () => {
    const told: string[] = [];
    const { keeper } = await opened({
      onAttempt: (_result, messageId) => told.push(messageId),
      onTrouble: ({ line }) => told.push(`line ${line}`),
    });
    const result = { url: '', attempt: 1, at: 0, durationMs: 1, status: 400, error: null } as const;
    const attempt = { ...result, verdict: 'failed' } as const;
    const trouble = { file: 'e', line: 7, verdict: 'failed', message: '' } as const;
    keeper.take(
      commitOf({
        attempts: [
          [attempt, 'm1'],
          [attempt, 'm2'],
        ],
        troubles: [trouble],
        durationsMs: Float64Array.of(10, 10, 30),
        retries: 2,
      }),
      1,
    );
    expect(told).toEqual(['m1', 'm2', 'line 7']);
    expect(keeper.medianMs).toBeCloseTo(10, 0);
    expect(await keeper.finish(true)).toMatchObject({ retries: 2 });
  });

  it('counts what is open as pending, and the import as not finished', async () => {
    const { keeper, store } = await opened();
    rangesOf(3).forEach((range, i) => keeper.give(range, i % 2));
    const last = [{ line: 1, offset: 0, length: 2 }];
    keeper.take(commitOf({ place: { last, open: [[0, 1, 0, 1]] }, waiting: 2, rows: 2 }), 0);
    expect([keeper.read, keeper.waiting]).toEqual([3, 2]);
    expect(await keeper.finish(true)).toMatchObject({ read: 3, pending: 3 });
    expect(store.isFinished()).toBe(false);
    const { open } = store.place();
    expect(open.filter(([, , , , , isUntaken]) => !isUntaken)).toEqual([[0, 1, 0, 1]]);
    expect(open.filter(([, , , , , isUntaken]) => isUntaken).map(([, line]) => line)).toEqual([
      3, 2,
    ]);
  });

  it('reaches the dead-letter file once, and the store no longer has it at the end', async () => {
    const { keeper, store, letterPath } = await opened();
    const counts = { ...noCounts, failed: 1 };
    keeper.take(commitOf({ counts, rows: 1, addLetters: [Buffer.from('{"a":1}\n')] }), 0);
    keeper.take(commitOf({ counts, rows: 1, addLetters: [Buffer.from('{"b":1}\n')] }), 1);
    expect(existsSync(letterPath)).toBe(false);
    expect((await keeper.finish(true)).deadLetter).toBe(letterPath);
    expect(readFileSync(letterPath, 'utf8')).toBe('{"a":1}\n{"b":1}\n');
    expect(store.letters()).toEqual([]);
  });
});

describe('a commit', () => {
  it('comes two milliseconds after the first that is told, and the threads hear of it', async () => {
    const { keeper, clock, durable, store } = await opened();
    keeper.take(commitOf({ counts: { ...noCounts, delivered: 4 }, rows: 4 }), 1);
    clock.advance(1);
    keeper.take(commitOf({ counts: { ...noCounts, delivered: 2 }, rows: 2 }), 0);
    expect([store.counts().delivered, durable]).toEqual([0, []]);
    clock.advance(1);
    expect(store.counts().delivered).toBe(6);
    expect(durable).toEqual([
      [1, 4],
      [0, 2],
    ]);
    expect(clock.waits).toEqual([]);
  });

  it('comes at once when 500 rows are told', async () => {
    const { keeper, durable, clock } = await opened();
    keeper.take(commitOf({ rows: 499 }), 0);
    expect(durable).toEqual([]);
    keeper.take(commitOf({ rows: 1 }), 1);
    expect(durable).toHaveLength(2);
    expect(clock.waits).toEqual([]);
  });

  it('that fails is told once, makes nothing durable, and is what the run ends with', async () => {
    let failures = 0;
    const { keeper, clock, durable } = await opened({
      committer: full,
      onFailure: () => failures++,
    });
    for (let i = 0; i < 3; i++) {
      keeper.take(commitOf({ rows: 600 }), 0);
      keeper.take(commitOf({ rows: 1 }), 1);
      clock.advance(10);
    }
    expect([failures, durable]).toEqual([1, []]);
    await expect(keeper.finish(true)).rejects.toThrow('the disk is full');
  });
});

describe('events that wait for a retry', () => {
  it('of earlier runs are shared out, the earliest first', async () => {
    const store = await ImportStore.open(':memory:');
    store.commit(commitOf({ putRetries: [5, 3, 1, 4, 2].map((id) => waitingRow(id)) }));
    const { keeper } = await opened({}, store);
    expect(keeper.retries.map((rows) => rows.map(({ id }) => id))).toEqual([
      [1, 3, 5],
      [2, 4],
    ]);
    expect(keeper.waiting).toBe(5);
    keeper.take(commitOf({ waiting: 1, deleteRetries: [1, 3] }), 0);
    expect(keeper.waiting).toBe(3);
    keeper.take(commitOf({ waiting: 0, deleteRetries: [5] }), 0);
    keeper.take(commitOf({ waiting: 3, putRetries: [waitingRow(7)] }), 1);
    expect(keeper.waiting).toBe(3);
  });

  it('of a line that is read again are not taken over', async () => {
    const store = await ImportStore.open(':memory:');
    const place = { last: [{ line: 2, offset: 3, length: 2 }], open: [[0, 1, 0, 1] as const] };
    store.commit(commitOf({ place, putRetries: [waitingRow(1), waitingRow(2)] }));
    const { keeper } = await opened({}, store);
    expect(keeper.retries.flat().map(({ id }) => id)).toEqual([2]);
    expect([keeper.waiting, keeper.read]).toEqual([1, 2]);
  });

  it('stand in the store as if each thing told had been committed by itself', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(told, { maxLength: 25 }), async (commits) => {
        const { keeper, store } = await opened();
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
          keeper.take(commitOf({ putRetries, deleteRetries: [...deleted] }), thread);
          if (!isLast) continue;
          keeper.commit();
          const rows = store.earliestRetries(100).map(({ id, dueAt }) => [id, dueAt] as const);
          expect(new Map(rows)).toEqual(waiting);
        }
      }),
      { numRuns: 60 },
    );
  });
});

const told = fc.record({
  thread: fc.nat(1),
  changes: fc.array(fc.record({ id: fc.nat(4), dueAt: fc.nat(1_000), ends: fc.boolean() }), {
    maxLength: 4,
  }),
  /** Whether a commit follows; else it is put together with the next one. */
  isLast: fc.boolean(),
});
