import type { RetryRow } from '../../../src/ledger/retry-row.js';
import { noCounts, type StateChanges } from '../../../src/ledger/store.js';
import type { Commit, ProgressSnapshot } from '../../../src/importer/workers/messages.js';
import { emptyCheckpoint } from '../../helpers/checkpoint.js';

export { noCounts };

/** What a ledger makes durable: by default nothing. */
export function changesOf(change: Partial<StateChanges> = {}): StateChanges {
  return {
    checkpoint: emptyCheckpoint,
    counts: noCounts,
    isFinished: false,
    putRetries: [],
    deleteRetries: [],
    addDeadLetters: [],
    ...change,
  };
}

/** The progress of a thread: by default none. */
export function snapshotOf(change: Partial<ProgressSnapshot> = {}): ProgressSnapshot {
  return {
    checkpoint: { lastRead: undefined, open: [] },
    counts: noCounts,
    bytes: 0,
    rows: 0,
    doneRanges: 0,
    waiting: 0,
    retries: 0,
    reasons: [],
    urls: [],
    ...change,
  };
}

/** A report of a thread. */
export function commitOf(
  change: Partial<Omit<Commit, 'snapshot'>> = {},
  snapshot: Partial<ProgressSnapshot> = {},
): Commit {
  return {
    snapshot: snapshotOf(snapshot),
    putRetries: [],
    deleteRetries: [],
    addDeadLetters: [],
    attempts: [],
    shownAttempts: [],
    problems: [],
    ...change,
  };
}

/** An event that waits for a retry. */
export function waitingRow(id: number, change: Partial<RetryRow> = {}): RetryRow {
  return {
    id,
    dueAt: id,
    delayMs: 1_000,
    file: 0,
    line: id,
    offset: 0,
    length: 2,
    part: 0,
    hash: '',
    text: null,
    givenId: null,
    stamp: { messageId: `m${id}`, writesMessageId: false },
    user: 'u1',
    endpointDeliveries: [],
    ...change,
  };
}
