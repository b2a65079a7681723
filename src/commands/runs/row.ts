import type { RunSnapshot } from '../../importer/shared/run-record.js';
import { printable } from '../../output/printable.js';
import { shareDone } from '../../importer/shared/share-done.js';
import { statusText, type StatusText } from './status.js';
import { totalsOf } from '../../importer/shared/totals.js';

/** What the table shows of a run. */
export interface RunRow {
  readonly id: string;
  readonly status: StatusText;
  /** Whether the number of its ranges is known. */
  readonly isPlanned: boolean;
  /** How much is done, from 0 to 1. */
  readonly share: number;
  readonly read: number;
  readonly rejected: number;
  readonly failed: number;
  readonly workers: number;
  readonly ageMs: number;
}

/** `now`: by the clock of the server. */
export function rowOf(snapshot: RunSnapshot, now: number): RunRow {
  const { record, stats, workers } = snapshot;
  const { read, rejected, failed } = totalsOf(stats);
  return {
    id: printable(record.id),
    status: statusText(record),
    isPlanned: record.total !== null,
    share: shareDone(snapshot),
    ...{ read, rejected, failed },
    workers: workers.length,
    ageMs: now - record.createdAt,
  };
}
