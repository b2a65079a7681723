import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../../src/deliver/outcome.js';
import { Histogram, sharedCounts } from '../../src/ledger/histogram.js';
import type { OpenRun } from '../../src/ledger/progress.js';
import { ImportStore } from '../../src/ledger/store.js';
import { NumbersReader, sharedNumbers } from '../../src/threads/latest-numbers.js';
import type { Commit, Report } from '../../src/threads/messages.js';
import { PortCommitter } from '../../src/threads/port-committer.js';
import { readStanding, type Standing } from '../../src/threads/standing.js';
import { sharedRows, Uncommitted } from '../../src/threads/uncommitted.js';
import { changesOf, noCounts, waitingRow } from './commits.js';

/** Thread 1 of two, of whose rows no more than ten may be on their way to the disk. */
async function opened(tellsAttempts = false) {
  const store = await ImportStore.open(':memory:');
  const posted: Report[] = [];
  const memory = { standing: sharedNumbers(), latency: sharedCounts(), rows: sharedRows(2) };
  const committer = new PortCommitter({
    store,
    job: { thread: 1, memory, maxUncommitted: 10, tellsAttempts },
    state: () => ({ bytes: 7, waiting: 3, doneRanges: 2 }),
    post: (report) => posted.push(report),
  });
  const numbers = new NumbersReader(memory.standing);
  return {
    committer,
    store,
    posted,
    uncommitted: new Uncommitted(memory.rows),
    latency: new Histogram(memory.latency),
    /** What was told by message. */
    messages: () => posted.filter((report): report is Told => report.kind === 'commit'),
    /** What is found in shared memory. */
    look: (): Standing | undefined => {
      const list = numbers.take();
      return list && readStanding(list);
    },
  };
}

type Told = Commit & { readonly kind: 'commit' };

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
  it('is found in shared memory, with what only the ledger and the source know', async () => {
    const { committer, posted, look } = await opened();
    committer.commit(delivered(4));
    expect(look()).toMatchObject({ rows: 4, bytes: 7, waiting: 3, doneRanges: 2, messages: 0 });
    const line = { line: 4, offset: 12, length: 2 };
    const last = new Map([3, 5].map((file) => [file, line]));
    committer.commit({ ...delivered(6), place: { last, open: [[0, 3, 9, 2]] } });
    expect(look()).toMatchObject({
      place: { taken: { file: 5, line: 4, offset: 12 }, open: [[0, 3, 9, 2]] },
      counts: { ...noCounts, delivered: 6 },
      rows: 6,
    });
    expect(posted).toEqual([]);
  });

  it('comes by message where it is more than numbers, and both are in one order', async () => {
    const { committer, messages, look } = await opened();
    committer.commit({ ...delivered(6), putRetries: [waitingRow(1), waitingRow(2)] });
    expect(look()).toBeUndefined();
    expect(messages().map(({ standing }) => [standing.rows, standing.messages])).toEqual([[8, 1]]);
    committer.commit(delivered(7));
    expect(look()).toMatchObject({ rows: 9, messages: 1 });
    expect(messages()).toHaveLength(1);
  });

  it('comes by message where it has too many numbers', async () => {
    const { committer, messages, look } = await opened();
    const open = Array.from({ length: 1_000 }, (_, i): OpenRun => [0, 2 * i, i, 1]);
    committer.commit({ ...delivered(1), place: { last: new Map(), open } });
    expect(look()).toBeUndefined();
    expect(messages()[0]!.standing.place.open).toHaveLength(1_000);
  });

  it('has each attempt once, with its name only where somebody wants to know', async () => {
    for (const tells of [false, true]) {
      const { committer, messages, look, latency } = await opened(tells);
      committer.attempt(attempt, 'm1');
      committer.attempt({ ...attempt, attempt: 2, durationMs: 9 }, 'm2');
      committer.commit(delivered(1));
      committer.commit(delivered(2));
      expect(latency.counts.reduce((sum, count) => sum + count, 0)).toBe(2);
      expect(latency.percentile(1)).toBeCloseTo(9, 0);
      expect(look()?.retries).toBe(1);
      const names = messages().map(({ attempts }) => attempts.map(([, messageId]) => messageId));
      expect(names).toEqual(tells ? [['m1', 'm2']] : []);
    }
  });

  it('has each trouble once', async () => {
    const { committer, messages } = await opened();
    committer.trouble({ file: 'e', line: 3, verdict: 'rejected', message: 'no' });
    committer.commit(delivered(0));
    committer.commit(delivered(0));
    expect(messages().map(({ troubles }) => troubles.length)).toEqual([1]);
  });

  it('takes only the bytes of a letter and of an event along, not the memory around them', async () => {
    const { committer, messages } = await opened();
    const around = Buffer.from('before {"a":1} behind');
    const text = around.subarray(7, 14);
    committer.commit({
      ...delivered(0),
      putRetries: [waitingRow(1, { text })],
      addLetters: [text],
    });
    const { putRetries, addLetters } = structuredClone(messages()[0]!);
    for (const bytes of [putRetries[0]!.text!, addLetters[0]!]) {
      expect(Buffer.from(bytes).toString()).toBe('{"a":1}');
      expect(bytes.buffer.byteLength).toBe(7);
    }
  });

  it('is at hand in its own store, where it reads retries from when they are due', async () => {
    const { committer, store } = await opened();
    committer.commit({ ...delivered(0), putRetries: [waitingRow(1), waitingRow(2)] });
    committer.commit({ ...delivered(1), deleteRetries: [1] });
    expect(store.earliestRetries(9).map(({ id }) => id)).toEqual([2]);
    expect(store.letters()).toEqual([]);
  });
});

describe('rows on their way to the disk', () => {
  it('stop the sending when all threads have too many, until enough of them are durable', async () => {
    const { committer, uncommitted } = await opened();
    uncommitted.add(6);
    committer.commit(delivered(3));
    expect(committer.room(0)).toBeUndefined();
    expect(uncommitted.takeWaiting(1)).toBe(false);
    committer.commit(delivered(4));
    let isOpen = false;
    const room = committer.room(0)!.then(() => (isOpen = true));
    expect(uncommitted.takeWaiting(1)).toBe(true);
    await Promise.resolve();
    expect(isOpen).toBe(false);
    uncommitted.add(-1);
    committer.letIn();
    await room;
    expect(committer.room(0)).toBeUndefined();
  });

  it('count from when they have ended, told or not, and each once', async () => {
    const { committer, uncommitted } = await opened();
    committer.commit(delivered(4));
    expect(committer.room(5)).toBeUndefined();
    expect(uncommitted.rows).toBe(9);
    expect(committer.room(6)).toBeDefined();
    committer.commit(delivered(10));
    expect(uncommitted.rows).toBe(10);
    // Two of those that had ended are left for a later run.
    expect(committer.room(0)).toBeDefined();
    committer.commit(delivered(8));
    expect(uncommitted.rows).toBe(8);
  });

  it('ask for a commit, once, when there are many', async () => {
    const { committer, posted, uncommitted } = await opened();
    expect(committer.room(7)).toBeUndefined();
    expect(posted).toEqual([]);
    expect(committer.room(8)).toBeUndefined();
    expect(committer.room(9)).toBeUndefined();
    expect(posted).toEqual([{ kind: 'hurry' }]);
    uncommitted.hurried();
    expect(committer.room(9)).toBeUndefined();
    expect(posted).toHaveLength(2);
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
