import { randomUUID } from 'node:crypto';
import { chunksOf } from '../../../collections/chunks.js';
import { UsageError } from '../../../errors.js';
import { printable } from '../../../output/printable.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import type { ItemKind } from '../item.js';
import { planFormat } from '../plan.js';
import type { RunRecord } from '../run-record.js';
import type { VerifyResult } from '../run-store.js';
import { queueOf } from './channels.js';
import type { Runs } from './runs.js';

const chunkLength = 1_000;

/** Puts back the items of a run that failed, and those that no job stands for. */
export async function verifyRun(
  store: SharedStore,
  runs: Runs,
  run: string,
): Promise<VerifyResult> {
  checkFormat(await runs.get(run));
  const { database } = store;
  return database.whenAvailable(() =>
    database.transaction(async (tx) => {
      // Another verification would put back what this one has just put back.
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [
        `${store.schema} ${run}`,
      ]);
      const restoredRanges = await restore(store, runs, run, 'ranges');
      const restoredRetries = await restore(store, runs, run, 'retries');
      return { restoredRanges, restoredRetries };
    }),
  );
}

async function restore(
  { database, jobs, schema }: SharedStore,
  runs: Runs,
  run: string,
  kind: ItemKind,
): Promise<number> {
  const queue = queueOf(run, kind);
  const table = `${schema}.${kind === 'ranges' ? 'part' : 'retry'}`;
  const [isOpen, reset] =
    kind === 'ranges'
      ? [`state = 'open'`, `state = 'open', reason = NULL`]
      : ['reason IS NULL', 'reason = NULL'];
  // The jobs first: an item whose job is gone after that has ended, and says so.
  const known = await jobs.ids(queue);
  const rows = await database.query<{ id: string; job: string; open: boolean }>(
    `SELECT id, job, ${isOpen} AS open FROM ${table} WHERE run = $1 AND ${kind === 'ranges' ? `state <> 'done'` : 'true'}`,
    [run],
  );
  const missing = rows.filter(({ job, open }) => !open || !known.has(job));
  let restored = 0;
  for (const chunk of chunksOf(missing, chunkLength)) {
    restored += await database.transaction(async (tx) => {
      // Whoever still has a job of before is refused: the item has another one now.
      const changed = await tx.query<{ id: string; job: string }>(
        `UPDATE ${table} AS item SET job = put.job, attempt = 0, ${reset}
         FROM unnest($2::text[], $3::uuid[], $4::uuid[]) AS put (id, job, before)
         WHERE item.run = $1 AND item.id = put.id AND item.job = put.before
         RETURNING item.id, item.job`,
        [
          run,
          chunk.map(({ id }) => id),
          chunk.map(() => randomUUID()),
          chunk.map(({ job }) => job),
        ],
      );
      const jobsToPut = changed.map(({ id, job }) => ({ id: job, data: { id } }));
      await jobs.insert(tx, queue, jobsToPut);
      if (changed.length > 0) await runs.reopen(tx, run);
      return changed.length;
    });
  }
  return restored;
}

function checkFormat({ id, plan: { format, program } }: RunRecord): void {
  if (format === planFormat) return;
  throw new UsageError(
    `run ${id} was planned by evfwd ${printable(program)}, in a format that this version does not know; use that version`,
    'plan_format',
  );
}
