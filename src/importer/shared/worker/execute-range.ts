import { readPart } from '../../../sources/part.js';
import type { Checkpoint } from '../../../ledger/progress.js';
import { restOf } from '../../../ledger/resume.js';
import type { ItemProgress, RangeItem } from '../item.js';
import type { HeldItem, ItemEnd } from './held-item.js';
import { ItemCommitter } from './item-committer.js';
import { jobFor, logAttempts, startItem, type ItemContext } from './item-context.js';
import { openPlanned } from '../planned-input.js';
import { unchangedPath } from './planned-file.js';
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
  const { server, record, roots, urls, aheadMs, log, hold, rangeBytes } = context;
  const planned = record.plan.files[file]!;
  const path = unchangedPath(planned, roots);
  const checkpoint = checkpointOf(before);
  const job = { ...jobFor(context, planned, path), checkpoint };
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
  const input = await openPlanned(planned, path);
  const start = restOf(checkpoint, 0)?.start;
  const execution = startItem(context, held, {
    job,
    ranges: readPart(input, { from, to, ...(start && { start }) }, { rangeBytes }),
    onCommit: (commit) => committer.accept(commit),
  });
  const end = await execution.ended.finally(() => committer.settle());
  if (held.isLost) return 'lost';
  return end.hasReadAll ? 'done' : 'stopped';
}

function checkpointOf({ last, open }: ItemProgress): Checkpoint {
  return { last: new Map(last ? [[0, last]] : []), open };
}
