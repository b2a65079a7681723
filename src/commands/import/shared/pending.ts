import type { StatChanges } from '../../../importer/shared/item.js';
import type { PlannedFile } from '../../../importer/shared/plan.js';
import type { RunStore, UnfinishedRange } from '../../../importer/shared/run-store.js';
import { linesOfPart } from '../../../importer/shared/range-lines.js';
import type { RunSnapshot } from '../../../importer/shared/run-record.js';
import type { Input } from '../../../sources/input.js';

/** Reading more only to count lines would keep the user waiting. */
const maxBytes = 2 ** 30;
/** Roughly, for events. */
const gzipFactor = 10;

export interface Pending {
  /** Events without a final status. */
  readonly pending: number;
  /** Why not all of them are counted. */
  readonly note?: string;
}

/**
 * Counts what a cancelled run leaves: events that wait for a retry, and lines that nobody has read.
 *
 * @param remote what is behind URLs, by the path in the plan
 */
export async function pendingOf(
  server: Pick<RunStore, 'unfinishedRanges'>,
  { record, stats }: RunSnapshot,
  remote: ReadonlyMap<string, Input>,
  signal: AbortSignal,
): Promise<Pending> {
  const { files } = record.plan;
  const waiting = stats.retrying ?? 0;
  const ranges = await server.unfinishedRanges(record.id);
  const bytes = ranges.reduce((sum, range) => sum + bytesOf(range, files), 0);
  if (bytes > maxBytes)
    return {
      pending: waiting,
      note: 'pending: only events that were read; lines that no worker has read are more than 1 GiB, and not counted',
    };
  try {
    let lines = 0;
    for (const { item, counts } of ranges) {
      const file = files[item.file]!;
      const { path, size } = file;
      const found = remote.get(path) ?? { name: path, size, isFile: true };
      const all = await linesOfPart(file, item, found, signal);
      lines += Math.max(0, all - readOf(counts));
    }
    return { pending: waiting + lines };
  } catch {
    return {
      pending: waiting,
      note: 'pending: only events that were read; not all files can be read here to count their other lines',
    };
  }
}

function bytesOf({ item }: UnfinishedRange, files: readonly PlannedFile[]): number {
  const { size, isWhole, rowGroups } = files[item.file]!;
  if (rowGroups) return (size * gzipFactor) / rowGroups.length;
  if (item.to !== null) return item.to - item.from;
  return isWhole ? size * gzipFactor : size;
}

/** Lines that were read have a final status or wait for a retry. */
function readOf(counts: StatChanges): number {
  const { delivered = 0, rejected = 0, failed = 0, skipped = 0, retrying = 0 } = counts;
  return delivered + rejected + failed + skipped + retrying;
}
