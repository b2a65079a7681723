import type { RangeItem } from '../item.js';
import type { Plan } from '../plan.js';

/** About 500 events, so many as a crash may repeat of each part in hand. */
const wholeBytes = 200 * 1024;
const leastWeight = 1 / 16;
/** Bytes of events for each byte of a file that is read from its start, which is mostly a gzip file. */
const inflation = 8;

/**
 * How much of one part in hand this one is, up to 1: of small files more are in hand at once, since a part waits for its
 * responses and for the store. What a crash repeats at most stays the same.
 */
export function partWeight({ file, from, to }: RangeItem, { files, target }: Plan): number {
  const { size, rowGroups, isWhole } = files[file]!;
  // Of a collector each part has its share of `--concurrency`, and ranges of Parquet are rows.
  if (target.kind === 'collector' || rowGroups) return 1;
  const bytes = isWhole ? inflation * size : (to ?? size) - from;
  return Math.max(leastWeight, Math.min(1, bytes / wholeBytes));
}
