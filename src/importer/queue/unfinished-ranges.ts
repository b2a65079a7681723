import { chunksOf } from '../../collections/chunks.js';
import type { QueueConnection } from './connection.js';
import type { ItemProgress, RangeItem } from './item.js';
import { RunKeys } from './keys.js';
import { rangesOf } from './plan-ranges.js';
import type { UnfinishedRange } from './queue-server.js';
import type { RunRecord } from './run-record.js';

/** Ranges that are asked for in one round trip. */
const chunkLength = 1_000;

/** Ranges of the plan that have neither ended nor failed, with what they have counted. */
export async function readUnfinished(
  connection: QueueConnection,
  { id: run, plan }: RunRecord,
  prefix: string,
): Promise<UnfinishedRange[]> {
  const keys = new RunKeys(prefix, run);
  const unfinished: UnfinishedRange[] = [];
  for (const part of chunksOf(rangesOf(plan), chunkLength)) {
    const found = await connection.pipeline((pipeline) => {
      for (const [id] of part) pipeline.hmget(keys.job('ranges', id), 'progress', 'finishedOn');
    });
    unfinished.push(...part.flatMap(([, item], i) => unfinishedOf(item, found[i] as Fields)));
  }
  return unfinished;
}

type Fields = readonly [progress: string | null, finishedOn: string | null];

/** BullMQ notes the end of a job that has failed, too. */
function unfinishedOf(item: RangeItem, [progress, finishedOn]: Fields): UnfinishedRange[] {
  if (finishedOn !== null) return [];
  const stored = JSON.parse(progress ?? '0') as Partial<ItemProgress> | number;
  return [{ item, counts: typeof stored === 'number' ? {} : (stored.counts ?? {}) }];
}
