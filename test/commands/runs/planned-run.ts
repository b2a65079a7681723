import { PostgresRunStore } from '../../../src/importer/shared/postgres/postgres-run-store.js';
import type { ItemCommit } from '../../../src/importer/shared/item.js';
import type { Plan } from '../../../src/importer/shared/plan.js';
import type { RunStore } from '../../../src/importer/shared/run-store.js';
import { plan } from '../../helpers/run-snapshots.js';
import { testStore } from '../../helpers/shared-store.js';
import { takeOne, testCommit } from '../../helpers/runs.js';

export async function connectTo(place: { url: string; schema: string }): Promise<RunStore> {
  return new PostgresRunStore((await testStore(place)).store);
}

/** A run whose parts are all there; returns its id. */
export async function planRun(
  runs: RunStore,
  name = 'history',
  changes: Partial<Plan> = {},
): Promise<string> {
  return (await runs.plan(name, { ...plan, ...changes }, name, false)).id;
}

/** Takes the next part of a run as a worker does, stores this commit, and ends it or makes it fail. */
export async function workOnPart(
  runs: RunStore,
  run: string,
  { failure, ...commit }: Partial<Omit<ItemCommit, 'progress'>> & { failure?: string },
): Promise<void> {
  const { ref } = await takeOne(runs, run);
  await runs.commit(ref, testCommit(1, 0, { stats: {}, ...commit }));
  if (failure === undefined) await runs.end(ref);
  else await runs.fail(ref, failure);
  await runs.finishIfDone(run);
}
