import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../../../src/delivery/outcome.js';
import { Histogram, sharedCounts } from '../../../src/ledger/histogram.js';
import { ImportStore } from '../../../src/ledger/store.js';
import type { Commit } from '../../../src/importer/workers/messages.js';
import { PortCommitter } from '../../../src/importer/workers/port-committer.js';
import { changesOf, noCounts, waitingRow } from './commits.js';

/** A thread of whose rows no more than ten may be on their way to the disk. */
async function opened(reportsAttempts = false) {
  const store = await ImportStore.open(':memory:');
  const posted: Commit[] = [];
  const latency = sharedCounts();
  const committer = new PortCommitter({
    store,
    job: { latency, maxUncommitted: 10, reportsAttempts },
    state: () => ({ bytes: 7, waiting: 3, doneRanges: 2 }),
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

describe('what a thread tells of its events', () => {
  it('has what only the ledger and the source know, and the last line taken', async () => {
    const { committer, posted } = await opened();
    committer.commit(delivered(4));
    expect(posted[0]!.snapshot).toMatchObject({ rows: 4, bytes: 7, waiting: 3, doneRanges: 2 });
    const line = { line: 4, offset: 12, length: 2 };
    const last = new Map([3, 5].map((file) => [file, line]));
    committer.commit({ ...delivered(6), checkpoint: { last, open: [[0, 3, 9, 2]] } });
    expect(posted[1]!.snapshot).toMatchObject({
      checkpoint: { taken: { file: 5, line: 4, offset: 12 }, open: [[0, 3, 9, 2]] },
      counts: { ...noCounts, delivered: 6 },
      rows: 6,
    });
  });

  it('counts as a row what has ended, and what waits for a retry', async () => {
    const { committer, posted } = await opened();
    committer.commit({ ...delivered(6), putRetries: [waitingRow(1), waitingRow(2)] });
    committer.commit(delivered(7));
    expect(posted.map(({ snapshot }) => snapshot.rows)).toEqual([8, 9]);
  });

  it('has each attempt once, with its name only where somebody wants to know', async () => {
    for (const reports of [false, true]) {
      const { committer, posted, latency } = await opened(reports);
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

  it('has each trouble once', async () => {
    const { committer, posted } = await opened();
    committer.problem({ file: 'e', line: 3, verdict: 'rejected', message: 'no' });
    committer.commit(delivered(0));
    committer.commit(delivered(0));
    expect(posted.map(({ problems: troubles }) => troubles.length)).toEqual([1, 0]);
  });

  it('takes only the bytes of a letter and of an event along, not the memory around them', async () => {
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

  it('is at hand in its own store, where it reads retries from when they are due', async () => {
    const { committer, store } = await opened();
    committer.commit({ ...delivered(0), putRetries: [waitingRow(1), waitingRow(2)] });
    committer.commit({ ...delivered(1), deleteRetries: [1] });
    expect(store.earliestRetries(9).map(({ id }) => id)).toEqual([2]);
    expect(store.deadLetters()).toEqual([]);
  });
});

describe('rows on their way to the disk', () => {
  it('stop the sending when there are too many, until enough of them are durable', async () => {
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

  it('count from when they have ended, told or not, and each once', async () => {
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

  it('keep nobody waiting when nothing more is sent', async () => {
    const { committer } = await opened();
    committer.commit(delivered(50));
    const room = committer.room(0);
    committer.stop();
    await expect(room).resolves.toBeUndefined();
    expect(committer.room(0)).toBeUndefined();
  });
});
