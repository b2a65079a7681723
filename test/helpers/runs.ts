import { PostgresRunStore } from '../../src/importer/shared/postgres/postgres-run-store.js';
import type { ItemCommit, ItemKind, TakenItem } from '../../src/importer/shared/item.js';
import type { Plan, PlannedFile } from '../../src/importer/shared/plan.js';
import type { RunStore } from '../../src/importer/shared/run-store.js';
import type { RunRecord } from '../../src/importer/shared/run-record.js';
import type { OpenStoreOptions } from '../../src/store/postgres/open.js';
import { planWith, webhookTo } from './planned-run.js';
import type { TestStore } from './postgres.js';
import { testStore, type OpenedStore } from './shared-store.js';

/** Runs of a test, and what their connection said. */
export interface TestRuns extends OpenedStore {
  readonly runs: RunStore;
}

/** Connects as a command does; closed after the test. */
export async function testRuns(
  place: Pick<TestStore, 'url' | 'schema'>,
  options: Partial<OpenStoreOptions> = {},
): Promise<TestRuns> {
  const opened = await testStore(place, options);
  return { ...opened, runs: new PostgresRunStore(opened.store) };
}

/** A plan of files that need not exist; each 20 MB, which is three parts. */
export function testPlan(files: readonly Partial<PlannedFile>[] = [{}], rest = {}): Plan {
  const planned = files.map((file, index) => ({
    ...{ path: `/data/${index}.ndjson`, size: 20_000_000 },
    ...{ modifiedMs: 1_700_000_000_000, isWhole: false },
    ...file,
  }));
  return planWith(planned, webhookTo(['https://example.com/']), rest);
}

let identities = 0;

/** A run of its own. */
export function newRun(runs: RunStore, plan = testPlan(), name = 'history'): Promise<RunRecord> {
  return runs.plan(`identity-${++identities}`, plan, name, false);
}

/** The next item of a run. */
export async function takeOne(
  runs: RunStore,
  run: string,
  kind: ItemKind = 'ranges',
): Promise<TakenItem> {
  const [item] = await runs.take(run, kind, 1);
  return item!;
}

/** A commit that counts delivered events. */
export function testCommit(sequence: number, delivered: number, rest = {}): ItemCommit {
  return {
    progress: { sequence, last: null, open: [], counts: { delivered: sequence * delivered } },
    stats: { delivered },
    latency: {},
    deadLetters: [],
    putRetries: new Map(),
    ...rest,
  };
}
