import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../../../src/delivery/outcome.js';
import { Histogram, sharedCounts } from '../../../src/ledger/histogram.js';
import { ImportStore } from '../../../src/ledger/store.js';
import type { Commit } from '../../../src/importer/workers/messages.js';
import { PortCommitter } from '../../../src/importer/workers/port-committer.js';
import { changesOf, noCounts, waitingRow } from './commits.js';

/** The committer of a thread that may have at most ten unflushed rows. */
async function opened({ reportsAttempts = false, isVerbose = false } = {}) {
  const store = await ImportStore.open(':memory:');
  const posted: Commit[] = [];
  const latency = sharedCounts();
  const committer = new PortCommitter({
    store,
    job: { latency, maxUncommitted: 10, reportsAttempts, isVerbose },
    state: () => ({ bytes: 7, waiting: 3, doneRanges: 2, reasons: [], urls: [] }),
    post: (report) => posted.push(report),
  });
  return { committer, store, posted, latency: new Histogram(latency) };
}

const delivered = (count: number) => changesOf({ counts: { ...noCounts, delivered: count } });

const attempt: AttemptResult = {
  url: 'http://localhost/',
  attempt: 1,
  at: 0,
  durationMs: 4,
  status: 200,
  error: null,
  verdict: 'delivered',
};

const problem = { file: 'e', line: 3, verdict: 'rejected', message: 'no' } as const;

describe('the report of a thread', () => {
  it('has what only the ledger and the source know, and the last line read', async () => {
    const { committer, posted } = await opened();
    committer.commit(delivered(4));
    expect(posted[0]!.snapshot).toMatchObject({ rows: 4, bytes: 7, waiting: 3, doneRanges: 2 });
    const line = { line: 4, offset: 12, length: 2 };
    const last = new Map([3, 5].map((file) => [file, line]));
    committer.commit({ ...delivered(6), checkpoint: { last, open: [[0, 3, 9, 2]] } });
    expect(posted[1]!.snapshot).toMatchObject({
      checkpoint: { lastRead: { file: 5, line: 4, offset: 12 }, open: [[0, 3, 9, 2]] },
      counts: { ...noCounts, delivered: 6 },
      rows: 6,
    });
  });

  it('counts an ended event and a retry as one row each', async () => {
    const { committer, posted } = await opened();
    committer.commit({ ...delivered(6), putRetries: [waitingRow(1), waitingRow(2)] });
    committer.commit(delivered(7));
    expect(posted.map(({ snapshot }) => snapshot.rows)).toEqual([8, 9]);
  });

  it('waits for dead letters with many bytes to be durable, whatever their number', async () => {
    const { committer, posted } = await opened();
    const small = changesOf({ addDeadLetters: [new Uint8Array(100)] });
    committer.commit({ ...small, counts: { ...noCounts, rejected: 1 } });
    expect(committer.room(0)).toBeUndefined();
    const large = changesOf({ addDeadLetters: [new Uint8Array(2 ** 20)] });
    committer.commit({ ...large, counts: { ...noCounts, rejected: 2 } });
    const room = committer.room(0);
    expect(room).toBeInstanceOf(Promise);
    committer.durable(posted.at(-1)!.snapshot.rows);
    await room;
    expect(committer.room(0)).toBeUndefined();
  });

  it('counts each attempt once, and includes its result only when asked to', async () => {
    for (const reports of [false, true]) {
      const { committer, posted, latency } = await opened({ reportsAttempts: reports });
      committer.attempt(attempt, 'm1');
      committer.attempt({ ...attempt, attempt: 2, durationMs: 9 }, 'm2');
      committer.commit(delivered(1));
      committer.commit(delivered(2));
      expect(latency.counts.reduce((sum, count) => sum + count, 0)).toBe(2);
      expect(latency.percentile(1)).toBeCloseTo(9, 0);
      expect(posted.at(-1)!.snapshot.retries).toBe(1);
      const names = posted.map(({ attempts }) => attempts.map(([, messageId]) => messageId));
      expect(names).toEqual([reports ? ['m1', 'm2'] : [], []]);
    }
  });

  it('has each problem once', async () => {
    const { committer, posted } = await opened();
    committer.problem(() => problem);
    committer.commit(delivered(0));
    committer.commit(delivered(0));
    expect(posted.map(({ problems }) => problems.length)).toEqual([1, 0]);
  });

  it.each([
    ['the first of each kind of problem and one that is hidden', false, 3],
    ['all problems with --verbose', true, 18],
  ])('has %s', async (_, isVerbose, count) => {
    const { committer, posted } = await opened({ isVerbose });
    for (let i = 0; i < 9; i++) {
      committer.problem(() => problem);
      committer.problem(() => ({ ...problem, message: 'another' }));
    }
    committer.commit(delivered(0));
    expect(posted[0]!.problems).toHaveLength(count);
  });

  it('has at most five kinds of problems', async () => {
    const { committer, posted } = await opened({ isVerbose: false });
    for (let i = 0; i < 9; i++) committer.problem(() => ({ ...problem, message: `no. ${i}` }));
    committer.commit(delivered(0));
    expect(posted[0]!.problems.map(({ message }) => message)).toEqual(
      [0, 1, 2, 3, 4, 5].map((i) => `no. ${i}`),
    );
  });

  it('measures responses, and not attempts without one', async () => {
    const { committer, latency } = await opened();
    committer.attempt({ ...attempt, status: null, error: 'refused' }, 'm1');
    expect(latency.percentile(0.5)).toBeNull();
  });

  it('copies only the bytes of a dead letter and of an event, not the memory around them', async () => {
    const { committer, posted } = await opened();
    const around = Buffer.from('before {"a":1} behind');
    const text = around.subarray(7, 14);
    committer.commit({
      ...delivered(0),
      putRetries: [waitingRow(1, { text })],
      addDeadLetters: [text],
    });
    const { putRetries, addDeadLetters } = structuredClone(posted[0]!);
    for (const bytes of [putRetries[0]!.text!, addDeadLetters[0]!]) {
      expect(Buffer.from(bytes).toString()).toBe('{"a":1}');
      expect(bytes.buffer.byteLength).toBe(7);
    }
  });

  it('is also kept in its own store, from where it reads due retries', async () => {
    const { committer, store } = await opened();
    committer.commit({ ...delivered(0), putRetries: [waitingRow(1), waitingRow(2)] });
    committer.commit({ ...delivered(1), deleteRetries: [1] });
    expect(store.earliestRetries(9).map(({ id }) => id)).toEqual([2]);
    expect(store.deadLetters()).toEqual([]);
  });
});

describe('unflushed rows', () => {
  it('pause sending when there are too many, until enough of them are durable', async () => {
    const { committer } = await opened();
    committer.commit(delivered(9));
    expect(committer.room(0)).toBeUndefined();
    committer.commit(delivered(10));
    let isOpen = false;
    const room = committer.room(0)!.then(() => (isOpen = true));
    await Promise.resolve();
    expect(isOpen).toBe(false);
    committer.durable(9);
    await room;
    expect(committer.room(0)).toBeUndefined();
    committer.commit(delivered(19));
    expect(committer.room(0)).toBeDefined();
  });

  it('count from their end on, reported or not, and each once', async () => {
    const { committer } = await opened();
    committer.commit(delivered(4));
    expect(committer.room(5)).toBeUndefined();
    expect(committer.room(6)).toBeDefined();
    committer.commit(delivered(10));
    expect(committer.room(0)).toBeDefined();
    committer.durable(4);
    expect(committer.room(3)).toBeUndefined();
    expect(committer.room(4)).toBeDefined();
  });

  it('delay nothing when sending has stopped', async () => {
    const { committer } = await opened();
    committer.commit(delivered(50));
    const room = committer.room(0);
    committer.stop();
    await expect(room).resolves.toBeUndefined();
    expect(committer.room(0)).toBeUndefined();
  });
});
