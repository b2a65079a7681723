import { Histogram } from '../../../ledger/histogram.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import type { RunProblem, RunRecord, RunSnapshot, WorkerReport } from '../run-record.js';

/** A worker reports each second or two. */
const forgottenAfterMs = 6_000;
/** Different problems that are told apart. */
const maxProblems = 20;
const latencyPrefix = 'latency:';

/** Reads the state of a run with one statement; a second one if parts have failed. */
export async function readSnapshot(store: SharedStore, record: RunRecord): Promise<RunSnapshot> {
  const { database, schema } = store;
  const [row] = await database.whenAvailable(() =>
    database.query<SnapshotRow>(
      `SELECT
         (SELECT count(*) FROM ${schema}.part WHERE run = $1 AND state = 'done') AS done,
         (SELECT count(*) FROM ${schema}.part WHERE run = $1 AND state = 'failed') AS failed,
         (SELECT count(*) FROM ${schema}.retry WHERE run = $1 AND reason IS NOT NULL) AS "failedRetries",
         (SELECT min(due_at) FROM ${schema}.retry WHERE run = $1 AND reason IS NULL) AS "nextDueAt",
         (SELECT coalesce(jsonb_object_agg(name, total), '{}') FROM (
           SELECT name, sum(value) AS total FROM ${schema}.run_stat WHERE run = $1 GROUP BY name
         ) AS totals) AS stats,
         (SELECT stats_at_resume FROM ${schema}.run WHERE id = $1) AS "statsAtResume",
         (SELECT coalesce(jsonb_agg(jsonb_build_object('id', worker, 'items', items) ORDER BY worker), '[]')
           FROM ${schema}.run_worker WHERE run = $1 AND at > ${schema}.now_ms() - $2) AS workers`,
      [record.id, forgottenAfterMs],
    ),
  );
  const { done, failed, failedRetries, nextDueAt, stats, statsAtResume, workers } = row!;
  const latency = new Histogram();
  const counts: Record<string, number> = {};
  for (const [name, value] of Object.entries(stats)) {
    if (!name.startsWith(latencyPrefix)) counts[name] = value;
    else latency.counts[Number(name.slice(latencyPrefix.length))] = value;
  }
  return {
    record,
    ranges: { total: record.total, done, failed },
    ...{ failedRetries, stats: counts, latency, statsAtResume: statsAtResume ?? {} },
    nextDueAt: nextDueAt ?? Infinity,
    // A report is forgotten only some seconds later; of a finished run, nothing is left to be at work on.
    workers: record.status === 'finished' ? [] : workers,
    problems: failed + failedRetries === 0 ? [] : await readProblems(store, record),
  };
}

interface SnapshotRow {
  readonly done: number;
  readonly failed: number;
  readonly failedRetries: number;
  readonly nextDueAt: number | null;
  readonly stats: Readonly<Record<string, number>>;
  readonly statsAtResume: Readonly<Record<string, number>> | null;
  readonly workers: readonly WorkerReport[];
}

/** Why parts and retries failed, each reason once. */
async function readProblems(
  { database, schema }: SharedStore,
  { id, plan }: RunRecord,
): Promise<readonly RunProblem[]> {
  const rows = await database.whenAvailable(() =>
    database.query<{ file: number; reason: string; items: number }>(
      `SELECT file, reason, count(*) AS items FROM (
         SELECT file, reason FROM ${schema}.part WHERE run = $1 AND state = 'failed'
         UNION ALL SELECT file, reason FROM ${schema}.retry WHERE run = $1 AND reason IS NOT NULL
       ) AS failed GROUP BY file, reason ORDER BY file, reason LIMIT $2`,
      [id, maxProblems],
    ),
  );
  return rows.map(({ file, reason, items }) => ({
    file: plan.files[file]?.path ?? '',
    message: reason,
    ranges: items,
  }));
}
