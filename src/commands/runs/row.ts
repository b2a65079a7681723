import type { RunSnapshot, RunStatus } from '../../importer/shared/run-record.js';
import { printable } from '../../output/printable.js';
import { shareDone } from '../../importer/shared/share-done.js';
import { totalsOf } from '../../importer/shared/totals.js';

/** What the table shows of a run. */
export interface RunRow {
  readonly id: string;
  readonly status: RunStatus;
  /** How much is done, from 0 to 1. */
  readonly share: number;
  readonly read: number;
  readonly rejected: number;
  readonly failed: number;
  readonly workers: number;
  readonly ageMs: number;
}

/** `now`: by the clock of the store. */
export function rowOf(snapshot: RunSnapshot, now: number): RunRow {
  const { record, stats, workers } = snapshot;
  const { read, rejected, failed } = totalsOf(stats);
  return {
    id: printable(record.id),
    status: record.status,
    share: shareDone(snapshot),
    ...{ read, rejected, failed },
    workers: workers.length,
    ageMs: now - record.createdAt,
  };
}
