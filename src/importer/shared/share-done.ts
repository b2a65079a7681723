import { planFormat } from './plan.js';
import type { RunSnapshot } from './run-record.js';
import { totalsOf } from './totals.js';

/** Not all, as long as something is left. */
const almost = 0.99;

/**
 * How much of a run is done, from 0 to 1: the share of its ranges, or more where the ranges in hand have
 * got far, by the bytes of the events so far. Retries and failed ranges leave it below 1.
 */
export function shareDone(snapshot: RunSnapshot): number {
  const { record, ranges, stats } = snapshot;
  if (ranges.total === 0) return record.status === 'finished' ? 1 : 0;
  const whole = ranges.done / ranges.total;
  if (whole === 1) return totalsOf(stats).retrying > 0 ? almost : 1;
  const most = 1 - ranges.failed / ranges.total;
  return Math.min(almost, Math.max(whole, Math.min(most, shareOfBytes(snapshot))));
}

/** What was read of plain files, estimated by the size of a delivered event; 0 if unknown. */
function shareOfBytes({ record: { plan }, stats }: RunSnapshot): number {
  if (
    plan.format !== planFormat ||
    plan.files.some(({ isWhole, rowGroups }) => isWhole || rowGroups)
  )
    return 0;
  const { bytes = 0, delivered = 0 } = stats;
  const size = plan.files.reduce((sum, file) => sum + file.size, 0);
  if (delivered === 0 || size === 0) return 0;
  return ((bytes / delivered) * totalsOf(stats).read) / size;
}

/** `41%`. */
export function shareText(share: number): string {
  return `${Math.floor(share * 100)}%`;
}
