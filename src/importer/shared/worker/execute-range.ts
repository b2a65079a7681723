import { readPart } from '../../../sources/part.js';
import type { Checkpoint } from '../../../ledger/progress.js';
import { restOf } from '../../../ledger/resume.js';
import type { Input } from '../../../sources/input.js';
import type { ItemProgress, RangeItem } from '../item.js';
import type { PlannedFile } from '../plan.js';
import type { HeldItem, ItemEnd } from './held-item.js';
import { ItemCommitter } from './item-committer.js';
import { jobFor, logAttempts, startItem, type ItemContext } from './item-context.js';
import { partOfPlanned } from '../planned-input.js';
import { openUnchanged, type FilesHere } from './planned-file.js';
import { LatencyDeltas, StatDeltas } from './stat-changes.js';

/**
 * Sends the events of a range that have not ended, from where it was left.
 *
 * @throws FileProblem when the file is not the planned one
 */
export async function executeRange(
  context: ItemContext,
  held: HeldItem,
  { file, from, to }: RangeItem,
  before: ItemProgress,
): Promise<ItemEnd> {
  const { server, record, files, urls, aheadMs, log, hold, rangeBytes } = context;
  const planned = record.plan.files[file]!;
  const opened = await openPart(planned, { file, from, to }, files, held.stopping);
  if (!opened) return held.isLost ? 'lost' : 'stopped';
  const { found, input } = opened;
  const checkpoint = checkpointOf(before);
  const job = { ...jobFor(context, planned, found.name), checkpoint };
  const committer = new ItemCommitter({
    ...{ server, held, file, before, aheadMs },
    deltas: new StatDeltas(urls),
    latency: new LatencyDeltas(job.latency),
    onStored: async (commit) => {
      // First: the execution reads on when its rows are durable.
      hold.added(commit.putRetries.length);
      await logAttempts(log, commit);
      execution.durable(commit.snapshot.rows);
    },
  });
  const start = restOf(checkpoint, 0)?.start;
  // A server may not respond for minutes; a file always ends.
  const signal = found.object && held.stopping;
  const execution = startItem(context, held, {
    job,
    ranges: readPart(
      input,
      { from, to, ...(start && { start }) },
      { rangeBytes, ...(signal && { signal }) },
    ),
    onCommit: (commit) => committer.accept(commit),
  });
  const end = await execution.ended.finally(() => committer.settle());
  if (held.isLost) return 'lost';
  return end.hasReadAll && !signal?.aborted ? 'done' : 'stopped';
}

/** Undefined when it is stopped meanwhile: a server may be waited for. */
async function openPart(
  planned: PlannedFile,
  range: RangeItem,
  files: FilesHere,
  stopping: AbortSignal,
): Promise<{ readonly found: Input; readonly input: Input } | undefined> {
  try {
    const found = await openUnchanged(planned, files, stopping);
    return { found, input: await partOfPlanned(planned, range, found, stopping) };
  } catch (error) {
    if (stopping.aborted) return undefined;
    throw error;
  }
}

function checkpointOf({ last, open }: ItemProgress): Checkpoint {
  return { last: new Map(last ? [[0, last]] : []), open };
}
