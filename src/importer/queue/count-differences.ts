import { chunksOf } from '../../collections/chunks.js';
import type { QueueConnection } from './connection.js';
import type { ItemProgress, StatChanges } from './item.js';
import { RunKeys } from './keys.js';
import { rangesOf } from './plan-ranges.js';
import type { VerifyResult } from './queue-server.js';
import type { RunRecord } from './run-record.js';
import { numbersOf } from './snapshot.js';

/** Ranges that are asked for in one round trip. */
const chunkLength = 1_000;

/** Compares the totals of a run with what its items have counted. */
export async function countDifferences(
  connection: QueueConnection,
  record: RunRecord,
  prefix: string,
): Promise<VerifyResult['differences']> {
  const keys = new RunKeys(prefix, record.id);
  const sums = new Map<string, number>();
  const open = await addEndedRanges(connection, record, keys, sums);
  // Items at work commit all the time: theirs and the totals are read in one step.
  const [stats, retryStats, ...progress] = await connection.transaction((transaction) => {
    transaction.hgetall(keys.stats).hgetall(keys.retryStats);
    for (const id of open) transaction.hget(keys.job('ranges', id), 'progress');
  });
  for (const text of progress) addProgress(sums, text as string | null);
  addCounts(sums, numbersOf(retryStats));
  return differencesOf(numbersOf(stats), sums);
}

/** Returns the ids of the ranges that may still change. */
async function addEndedRanges(
  connection: QueueConnection,
  { plan }: RunRecord,
  keys: RunKeys,
  sums: Map<string, number>,
): Promise<string[]> {
  const ids = Array.from(rangesOf(plan), ([id]) => id);
  const open: string[] = [];
  for (const part of chunksOf(ids, chunkLength)) {
    const found = await connection.pipeline((pipeline) => {
      for (const id of part) {
        pipeline.zscore(keys.queue('ranges', 'completed'), id);
        pipeline.hget(keys.job('ranges', id), 'progress');
      }
    });
    for (const [index, id] of part.entries()) {
      if (found[2 * index] === null) open.push(id);
      else addProgress(sums, found[2 * index + 1] as string | null);
    }
  }
  return open;
}

function addProgress(sums: Map<string, number>, text: string | null): void {
  if (text !== null) addCounts(sums, (JSON.parse(text) as ItemProgress).counts);
}

function addCounts(sums: Map<string, number>, counts: StatChanges): void {
  for (const [name, value] of Object.entries(counts)) {
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
}

function differencesOf(
  totals: StatChanges,
  sums: ReadonlyMap<string, number>,
): VerifyResult['differences'] {
  const names = new Set([...Object.keys(totals), ...sums.keys()]);
  return [...names]
    .sort()
    .map((name) => [name, totals[name] ?? 0, sums.get(name) ?? 0] as const)
    .filter(([, total, sum]) => total !== sum);
}
