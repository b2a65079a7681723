import type { StatChanges } from './item.js';

/** The counts of a run, in the order of its JSON line. */
export interface Totals {
  /** Events that have ended or wait for a retry. */
  readonly read: number;
  readonly delivered: number;
  readonly rejected: number;
  readonly failed: number;
  readonly skipped: number;
  readonly retrying: number;
}

export function totalsOf(stats: StatChanges): Totals {
  const { delivered = 0, rejected = 0, failed = 0, skipped = 0, retrying = 0 } = stats;
  const read = delivered + rejected + failed + skipped + retrying;
  return { read, delivered, rejected, failed, skipped, retrying };
}
