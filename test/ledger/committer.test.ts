import { copyFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { StateError } from '../../src/errors.js';
import { StoreCommitter } from '../../src/ledger/committer.js';
import { DeadLetterFile } from '../../src/ledger/dead-letter-file.js';
import { ImportStore, type StateChanges } from '../../src/ledger/store.js';
import { folderWith } from '../helpers/folder.js';
import { changesOf, noCounts, waitingRow } from '../importer/workers/commits.js';

/** A committer, with spies on the commits and flushes of its store. */
async function opened(maxUnflushed?: number) {
  const folder = folderWith();
  const store = await ImportStore.open(join(folder, 'state.db'));
  const committer = new StoreCommitter(store, new DeadLetterFile(join(folder, 'dead.ndjson')), {
    maxUnflushed,
  });
  const commit = vi.spyOn(store, 'commit');
  const flush = vi.spyOn(store, 'flush');
  return {
    ...{ folder, store, committer, flush },
    /** Whether each commit has waited for the disk. */
    waited: () => commit.mock.calls.map(([, , onDisk = 'at once']) => onDisk === 'at once'),
  };
}

const delivered = (count: number, change: Partial<StateChanges> = {}): StateChanges => ({
  ...changesOf({ counts: { ...noCounts, delivered: count } }),
  ...change,
});

describe('a committer', () => {
  it.each([
    { what: 'counts', change: {}, waits: false },
    { what: 'retries', change: { putRetries: [waitingRow(1)] }, waits: false },
    { what: 'retries that have ended', change: { deleteRetries: [1] }, waits: false },
    { what: 'dead letters', change: { addDeadLetters: [Buffer.from('{}\n')] }, waits: true },
    { what: 'the end of an import', change: { isFinished: true }, waits: true },
  ])('of a running import waits for the disk with $what: $waits', async ({ change, waits }) => {
    const { store, committer, waited, flush } = await opened(10);
    committer.commit(delivered(1, change));
    expect(waited()).toEqual([waits]);
    expect(flush).toHaveBeenCalledTimes(waits ? 0 : 1);
    store.close();
  });

  it('waits for the disk at every commit, unless rows may be unflushed', async () => {
    const { store, committer, waited, flush } = await opened();
    committer.commit(delivered(1_000));
    expect([waited(), flush.mock.calls, committer.room(1_000)]).toEqual([[true], [], undefined]);
    store.close();
  });

  it('has no room while too many rows are unflushed', async () => {
    const { store, committer } = await opened(10);
    committer.commit(delivered(6));
    expect(committer.room(3)).toBeUndefined();
    const room = committer.room(4);
    expect(room).toBeInstanceOf(Promise);
    await room;
    expect(committer.room(9)).toBeUndefined();
    committer.commit(delivered(9, { putRetries: [waitingRow(1)] }));
    expect(committer.room(5)).toBeUndefined();
    expect(committer.room(6)).toBeDefined();
    // This commit also flushes the earlier ones.
    committer.commit(delivered(12, { addDeadLetters: [Buffer.from('{}\n')] }));
    expect(committer.room(9)).toBeUndefined();
    store.close();
  });

  it('does not count rows of earlier runs', async () => {
    const { folder, store } = await opened();
    store.commit(delivered(1_000));
    const deadLetters = new DeadLetterFile(join(folder, 'dead.ndjson'));
    const next = new StoreCommitter(store, deadLetters, { maxUnflushed: 10 });
    next.commit(delivered(1_001));
    expect(next.room(8)).toBeUndefined();
    expect(next.room(9)).toBeDefined();
    store.close();
  });

  it('throws the error of a flush at the next commit, and at the end', async () => {
    const { store, committer, flush } = await opened(10);
    const full = new StateError('the state cannot be written');
    flush.mockRejectedValueOnce(full);
    committer.commit(delivered(1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(() => committer.commit(delivered(2))).toThrow(full);
    expect(() => committer.close()).toThrow(full);
    expect(store.counts().delivered).toBe(1);
    store.close();
  });
});

describe('an unflushed commit', () => {
  it('is in the files at once, also after a kill', async () => {
    const { store, committer } = await opened(10);
    committer.commit(delivered(3, { putRetries: [waitingRow(1)] }));
    committer.commit(delivered(4));
    const left = join(folderWith(), 'left.db');
    for (const end of ['', '-wal']) copyFileSync(store.path + end, left + end);
    const again = await ImportStore.open(left);
    expect([again.counts().delivered, again.retryCount()]).toEqual([4, 1]);
    again.close();
    store.close();
  });

  it('is flushed also if the state is opened through a link', async () => {
    const { folder, store } = await opened();
    store.close();
    symlinkSync(store.path, join(folder, 'link.db'));
    const linked = await ImportStore.open(join(folder, 'link.db'));
    linked.commit(delivered(1), undefined, 'later');
    await expect(linked.flush()).resolves.toBeUndefined();
    linked.close();
  });

  it('cannot be flushed if the state was removed, which is an error with advice', async () => {
    const { folder, store } = await opened(10);
    rmSync(folder, { recursive: true });
    await expect(store.flush()).rejects.toThrow(/state\.db: the state cannot be written/);
    expect(() => store.flushNow()).toThrow(StateError);
    store.close();
  });

  it('is still flushed when the store is closed meanwhile', async () => {
    const { store } = await opened(10);
    const flushes = [store.flush(), store.flush()];
    store.close();
    await expect(Promise.all(flushes)).resolves.toHaveLength(2);
  });
});
