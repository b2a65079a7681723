import { Histogram } from '../../ledger/histogram.js';
import type { QueueConnection } from './connection.js';
import type { StatChanges } from './item.js';
import { RunKeys } from './keys.js';
import type { RunProblems } from './run-problems.js';
import type { RunRecord, RunSnapshot } from './run-record.js';
import { readReports } from './worker-reports.js';

/** BullMQ's score of a delayed job is its time with twelve bits for the order. */
const delayedScoreUnit = 4_096;

/** Reads the state of a run in one round trip; a second one if ranges have failed. */
export async function readSnapshot(
  connection: QueueConnection,
  record: RunRecord,
  options: { readonly prefix: string; readonly now: number; readonly problems: RunProblems },
): Promise<RunSnapshot> {
  const keys = new RunKeys(options.prefix, record.id);
  const [stats, latency, resumed, workers, done, failed, failedRetries, waiting, active, next] =
    await connection.pipeline((pipeline) => {
      pipeline.hgetall(keys.stats).hgetall(keys.latency);
      pipeline.hgetall(keys.resumed).hgetall(keys.workers);
      pipeline.zcard(keys.queue('ranges', 'completed')).zcard(keys.queue('ranges', 'failed'));
      pipeline.zcard(keys.queue('retries', 'failed'));
      pipeline.llen(keys.queue('retries', 'wait')).llen(keys.queue('retries', 'active'));
      pipeline.zrange(keys.queue('retries', 'delayed'), '0', '0', 'WITHSCORES');
    });
  const [, score] = next as string[];
  const isDueNow = Number(waiting) + Number(active) > 0;
  const delayedUntil =
    score === undefined ? Infinity : Math.floor(Number(score) / delayedScoreUnit);
  const failures = { ranges: Number(failed), retries: Number(failedRetries) };
  return {
    record,
    ranges: { total: record.total ?? 0, done: Number(done), failed: Number(failed) },
    failedRetries: Number(failedRetries),
    stats: numbersOf(stats),
    latency: histogramOf(latency as Record<string, string>),
    statsAtResume: numbersOf(resumed),
    nextDueAt: isDueNow ? Math.min(options.now, delayedUntil) : delayedUntil,
    // A report is forgotten only some seconds later; of a finished run, nothing is left to be at work on.
    workers:
      record.status === 'finished'
        ? []
        : readReports(workers as Record<string, string>, options.now),
    problems: await options.problems.read(record, failures),
  };
}

function histogramOf(stored: Readonly<Record<string, string>>): Histogram {
  const histogram = new Histogram();
  for (const [bucket, count] of Object.entries(stored)) {
    histogram.counts[Number(bucket)] = Number(count);
  }
  return histogram;
}

/** Counts of a hash. */
export function numbersOf(stored: unknown): StatChanges {
  const entries = Object.entries(stored as Record<string, string>);
  return Object.fromEntries(entries.map(([name, value]) => [name, Number(value)]));
}
