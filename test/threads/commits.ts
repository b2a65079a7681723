import type { RetryRow } from '../../src/ledger/retry-row.js';
import type { Counts } from '../../src/ledger/store.js';
import type { Commit } from '../../src/threads/messages.js';

export const noCounts: Counts = { delivered: 0, rejected: 0, failed: 0, skipped: 0 };

/** What a thread tells; nothing has happened in it, unless told otherwise. */
export function commitOf(change: Partial<Commit> = {}): Commit {
  return {
    place: { last: [], open: [] },
    counts: noCounts,
    isFinished: false,
    putRetries: [],
    deleteRetries: [],
    addLetters: [],
    rows: 0,
    doneRanges: 0,
    waiting: 0,
    bytes: 0,
    durationsMs: new Float64Array(),
    retries: 0,
    attempts: [],
    troubles: [],
    ...change,
  };
}

/** An event that waits for a retry. */
export function waitingRow(id: number, change: Partial<RetryRow> = {}): RetryRow {
  return {
    id,
    dueAt: id,
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
    legs: [],
    ...change,
  };
}
