import { describe, expect, it } from 'vitest';
import type { CommitResult, ItemCommit } from '../../../../src/importer/shared/item.js';
import { HeldItem } from '../../../../src/importer/shared/worker/held-item.js';
import { ItemCommitter } from '../../../../src/importer/shared/worker/item-committer.js';
import { unread } from '../../../../src/importer/shared/worker/item-context.js';
import { LatencyDeltas, StatDeltas } from '../../../../src/importer/shared/worker/stat-changes.js';
import type { Commit } from '../../../../src/importer/workers/messages.js';
import { refOf } from '../../../helpers/held-ref.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';
import { Histogram, sharedCounts } from '../../../../src/ledger/histogram.js';
import type { RetryRow } from '../../../../src/ledger/retry-row.js';

function commitOf(delivered: number, changes: Partial<Commit> = {}): Commit {
  return {
    snapshot: {
      checkpoint: {
        lastRead: { file: 0, line: delivered, offset: delivered * 10, length: 9, hash: 'h' },
        open: [[0, 1, 0, 1]],
      },
      counts: { delivered, rejected: 0, failed: 0, skipped: 0, disabled: 0, unwanted: 0 },
      ...{ bytes: 0, rows: delivered, doneRanges: 0, waiting: 0, retries: 0 },
      reasons: [],
      urls: [],
    },
    putRetries: [],
    deleteRetries: [],
    addDeadLetters: [],
    attempts: [],
    shownAttempts: [],
    problems: [],
    ...changes,
  };
}

const row: RetryRow = {
  ...{ id: 1, dueAt: 1_000, delayMs: 500, file: 0, line: 1, offset: 0, length: 9, part: 0 },
  ...{ hash: 'h', text: null, givenId: null, user: 'u' },
  stamp: { messageId: 'm', writesMessageId: false },
  endpointDeliveries: [{ attempts: 1, firstAt: 900, status: 503, error: null, dueAt: 1_000 }],
};

/** A server that stores a commit when the test says so. */
class HeldServer {
  readonly commits: ItemCommit[] = [];
  readonly #answers: ((result: CommitResult | Error) => void)[] = [];

  commit = (_item: unknown, commit: ItemCommit): Promise<CommitResult> => {
    this.commits.push(commit);
    return new Promise((resolve, reject) =>
      this.#answers.push((result) => (result instanceof Error ? reject(result) : resolve(result))),
    );
  };

  /** Answers the oldest commit, and lets what follows from it happen. */
  async answer(result: CommitResult | Error): Promise<void> {
    this.#answers.shift()!(result);
    await new Promise(setImmediate);
  }
}

function started(before = unread) {
  const server = new HeldServer();
  const held = new HeldItem(refOf('ranges', 'range'));
  const stored: number[] = [];
  const clock = new VirtualClock();
  const memory = sharedCounts();
  const durations = new Histogram(memory);
  const committer = new ItemCommitter({
    ...{ server, held, before, file: 4 },
    deltas: new StatDeltas([]),
    latency: new LatencyDeltas(memory),
    aheadMs: () => 100,
    onStored: ({ snapshot }) => void stored.push(snapshot.rows),
    clock,
  });
  const accept = async (commit: Commit): Promise<void> => {
    committer.accept(commit);
    await new Promise(setImmediate);
  };
  return { server, held, stored, committer, accept, clock, durations };
}

describe('the commits of a range', () => {
  it('are stored one after the other, with what has changed since the last one', async () => {
    const { server, stored, accept } = started();
    await accept(commitOf(2));
    await accept(commitOf(5));
    expect(server.commits).toHaveLength(1);
    await server.answer('stored');
    expect(stored).toEqual([2]);
    await server.answer('stored');
    expect(stored).toEqual([2, 5]);
    expect(server.commits.map(({ stats }) => stats)).toEqual([{ delivered: 2 }, { delivered: 3 }]);
    expect(server.commits.map(({ progress }) => progress)).toMatchObject([
      { sequence: 1, counts: { delivered: 2 }, last: { line: 2, offset: 20, hash: 'h' } },
      { sequence: 2, counts: { delivered: 5 }, open: [[0, 1, 0, 1]] },
    ]);
  });

  it('go on after what another worker has stored', async () => {
    const last = { line: 1, offset: 0, length: 9 };
    const { server, accept } = started({ ...unread, sequence: 7, last, counts: { delivered: 10 } });
    const { snapshot, ...details } = commitOf(1);
    const checkpoint = { lastRead: undefined, open: [] };
    await accept({ ...details, snapshot: { ...snapshot, checkpoint } });
    expect(server.commits[0]!.progress).toEqual({
      ...{ sequence: 8, last, open: [] },
      counts: { delivered: 11 },
    });
    expect(server.commits[0]!.stats).toEqual({ delivered: 1 });
  });

  it('have the durations of responses at most once a second, and the rest at the end', async () => {
    const { server, committer, accept, clock, durations } = started();
    const durationCounts = (): unknown[] =>
      server.commits.map(({ latency }) => Object.values(latency).reduce((sum, n) => sum + n, 0));
    for (const [n, waitMs] of [0, 999, 1, 1].entries()) {
      clock.advance(waitMs);
      durations.add(10 * (n + 1));
      await accept(commitOf(n + 1));
      await server.answer('stored');
    }
    expect(durationCounts()).toEqual([1, 0, 2, 0]);
    const settled = committer.settle();
    await new Promise(setImmediate);
    expect(durationCounts()).toEqual([1, 0, 2, 0, 1]);
    const [, , , before, last] = server.commits.map(({ progress }) => progress);
    expect(last).toEqual({ ...before, sequence: 5 });
    expect(server.commits[4]).toMatchObject({ stats: {}, deadLetters: [], putRetries: new Map() });
    await server.answer('stored');
    await settled;
    await committer.settle();
    expect(server.commits).toHaveLength(5);
  });

  it('store no durations of a part that is lost', async () => {
    const { server, held, committer, accept, durations } = started();
    await accept(commitOf(1));
    await server.answer('stored');
    durations.add(5);
    held.lose();
    await committer.settle();
    expect(server.commits).toHaveLength(1);
  });

  it('do not store durations alone where nothing was stored', async () => {
    const { server, committer, durations } = started();
    durations.add(5);
    await committer.settle();
    expect(server.commits).toEqual([]);
  });

  it('hand on retries by the clock of the store', async () => {
    const { server, accept } = started();
    await accept(commitOf(0, { putRetries: [row] }));
    const [{ putRetries, stats } = undefined!] = server.commits;
    expect(stats).toEqual({ retrying: 1 });
    expect(putRetries.get('range-1-1')).toMatchObject({
      dueAt: 1_100,
      rows: [{ file: 4, dueAt: 1_100, endpointDeliveries: [{ firstAt: 1_000, dueAt: 1_100 }] }],
    });
    await server.answer('stored');
  });

  it('stop at a lost one: nothing more is stored, and the execution is told nothing', async () => {
    const { server, held, stored, committer, accept } = started();
    await accept(commitOf(2, { putRetries: [row] }));
    await accept(commitOf(5));
    await server.answer('lost');
    await committer.settle();
    expect(held.isLost).toBe(true);
    expect([server.commits.length, stored]).toEqual([1, []]);
  });

  it('are dropped when the lease has ended', async () => {
    const { server, held, committer, accept } = started();
    held.lose();
    await accept(commitOf(2));
    await committer.settle();
    expect(server.commits).toEqual([]);
  });

  it('end with the error of a server that refuses them for good', async () => {
    const { server, held, committer, accept } = started();
    await accept(commitOf(2));
    await accept(commitOf(3));
    await server.answer(new Error('NOPERM'));
    await expect(committer.settle()).rejects.toMatchObject({ cause: { message: 'NOPERM' } });
    // Only what another worker has may end without a word.
    expect([held.isLost, server.commits.length]).toEqual([false, 1]);
  });
});
