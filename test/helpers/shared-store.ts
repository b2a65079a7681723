import {
  openStore,
  type OpenStoreOptions,
  type SharedStore,
} from '../../src/store/postgres/open.js';
import type { NewJob } from '../../src/store/postgres/jobs.js';
import { afterEachTest } from './after-each.js';
import type { TestStore } from './postgres.js';

/** A connection of a test, and what it said. */
export interface OpenedStore {
  readonly store: SharedStore;
  readonly warnings: string[];
  readonly outages: string[];
  readonly recoveries: string[];
}

const open: SharedStore[] = [];

afterEachTest(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});

/** Connects as a command that takes jobs does; closed after the test. */
export async function testStore(
  { url, schema }: Pick<TestStore, 'url' | 'schema'>,
  options: Partial<OpenStoreOptions> = {},
): Promise<OpenedStore> {
  const [warnings, outages, recoveries]: string[][] = [[], [], []];
  const store = await openStore({
    ...{ url, schema, takesJobs: true },
    onWarning: (line) => warnings!.push(line),
    onOutage: (line) => outages!.push(line),
    onRecovered: (line) => recoveries!.push(line),
    ...options,
  });
  open.push(store);
  return { store, warnings: warnings!, outages: outages!, recoveries: recoveries! };
}

export function putJobs(
  { jobs, database }: Pick<SharedStore, 'jobs' | 'database'>,
  queue: string,
  added: readonly NewJob[],
): Promise<void> {
  return database.transaction((tx) => jobs.insert(tx, queue, added));
}
