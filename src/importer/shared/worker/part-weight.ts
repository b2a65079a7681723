import type { RangeItem } from '../item.js';
import type { Plan } from '../plan.js';

/** A part of this many bytes or more counts as one: about 500 events, as many as a crash may repeat of a part. */
const wholeBytes = 200 * 1024;
const minWeight = 1 / 16;
/** Parts in hand of a run with a rate have reserved at most the turns of so long. */
const reservedS = 0.2;
/** Assumed ratio of uncompressed to compressed bytes; files that are one part are mostly gzip. */
const compressionRatio = 8;

/**
 * How many of `--parts` a part takes: 1, or less for a small one, at least 1/16. Small parts spend most of their time
 * waiting for responses and for the store, so a worker has more of them in hand.
 */
export function partWeight({ file, from, to }: RangeItem, { files, target }: Plan): number {
  const { size, rowGroups, isWhole } = files[file]!;
  // The parts of a collector divide `--concurrency` by the number of parts in hand; ranges of Parquet are rows, not bytes.
  if (target.kind === 'collector' || rowGroups) return 1;
  const bytes = isWhole ? compressionRatio * size : (to ?? size) - from;
  return Math.max(minWeight, Math.min(1, bytes / wholeBytes));
}

/**
 * How many parts of a run to have in hand at most, whatever their size: each may have reserved the next turn of its rate,
 * which others wait behind. `parts`: so many are allowed in any case.
 */
export function mostParts({ rate }: Pick<Plan, 'rate'>, parts: number): number {
  return rate === null ? Infinity : Math.max(parts, Math.floor(rate * reservedS));
}
